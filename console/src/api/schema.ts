// Made from docs/reference/openapi.json by `npm run types`; not to be edited.

export interface paths {
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened, the oldest first
         * @description The daemon keeps the last 2000 events in memory; they are gone when it ends, and the log stays.
         */
        get: operations["event_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/export-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All export policies, by name */
        get: operations["policy_list"];
        put?: never;
        /** Create an export policy */
        post: operations["policy_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/export-policies/{policy}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One export policy */
        get: operations["policy_show"];
        /**
         * Give an export policy these rules and no others; create it, if there is none of that name
         * @description In force at once and in one step. The same request twice is the same as once.
         */
        put: operations["policy_put"];
        post?: never;
        /** Delete an export policy that no volume has */
        delete: operations["policy_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/export-policies/{policy}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add a rule to an export policy */
        post: operations["rule_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/export-policies/{policy}/rules/{position}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a rule */
        delete: operations["rule_remove"];
        options?: never;
        head?: never;
        /** Change a rule, without a moment in which its clients have none */
        patch: operations["rule_change"];
        trace?: never;
    };
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the daemon is
         * @description Needs no token. It says `degraded` if data is damaged, segments or the second copy are missing, or the pool has stopped.
         */
        get: operations["health_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The jobs that are under way, and the last that ended */
        get: operations["job_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One job */
        get: operations["job_show"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description Answered when it was told to end; `state` says when it has.
         */
        delete: operations["job_cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lab/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The lab's reports, the youngest first
         * @description They are looked for in `lab.results_directory`. One that cannot be read is there, too, and says why in `problem`.
         */
        get: operations["report_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lab/reports/{report}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One of the lab's reports */
        get: operations["report_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/lab/reports/{report}/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page of one of the lab's reports
         * @description It needs nothing else, runs no script, and is served so that it could not.
         */
        get: operations["report_page"];
        put?: never;
        /**
         * Have the page of one of the lab's reports shown by a browser
         * @description The answer has a path that needs no token, for ten minutes: browsers send none for what they show in a frame.
         */
        post: operations["report_open"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metrics/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What throughput, latency, capacity and others were in the last hour, day and month
         * @description Kept in memory since the daemon started: points of 5 seconds for an hour, of a minute for a day, of 15 minutes for 30 days.
         */
        get: operations["history_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nfs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where clients reach NFS, and how they mount from there */
        get: operations["nfs_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nfs/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All clients */
        get: operations["client_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nfs/clients/{client}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One client */
        get: operations["client_show"];
        put?: never;
        post?: never;
        /**
         * Take everything from a client, as if its lease had run out
         * @description A client that is alive registers again; to keep it out, change the export policy first.
         */
        delete: operations["client_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nfs/locks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is locked
         * @description `limit` and `total` count lock owners; each may have several ranges.
         */
        get: operations["lock_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nfs/opens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is open */
        get: operations["open_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nfs/opens/{stateid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take an open with its locks, or the locks of one owner on one file, from a client */
        delete: operations["open_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nfs/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How often each operation was executed, how it went, and how long it took */
        get: operations["operation_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nfs/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All sessions */
        get: operations["session_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["openapi_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pool": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The pool and its sizes */
        get: operations["pool_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pool/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recount everything in the pool, and report what does not agree
         * @description Answered at once with a job, whose `result` is what was found. One check runs at a time.
         */
        post: operations["pool_check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pool/efficiency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What deduplication and compression save
         * @description Looks at every extent of the volume, or of all, so it takes a while. One is answered at a time.
         */
        get: operations["pool_efficiency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pool/lost-found": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Segments that no metadata names
         * @description They were found when the pool was opened, and are kept in `lost+found` until they are deleted. After a crash such a segment usually holds
         *     only data that was never acknowledged.
         */
        get: operations["lost_found_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pool/lost-found/{segment}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a segment that no metadata names */
        delete: operations["lost_found_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pool/scrub": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How the verification of everything stands */
        get: operations["scrub_show"];
        put?: never;
        /** Verify everything that is stored, in the background, from the start */
        post: operations["scrub_start"];
        /** End the verification that is under way */
        delete: operations["scrub_stop"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The snapshots of all volumes, or of one, by volume and age */
        get: operations["snapshot_list_all"];
        put?: never;
        /** Take a snapshot of each of several volumes, all of the same instant */
        post: operations["snapshot_create_all"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All tokens, by user and age */
        get: operations["token_list"];
        put?: never;
        /**
         * Make a token
         * @description Its secret is in the answer, and can never be had again.
         */
        post: operations["token_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One token, without its secret */
        get: operations["token_show"];
        put?: never;
        post?: never;
        /** Delete a token: it is refused from now on */
        delete: operations["token_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All users, by name */
        get: operations["user_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One user */
        get: operations["user_show"];
        /**
         * Give a user a role; make the user, if there is none of that name
         * @description The last user with the role admin keeps it.
         */
        put: operations["user_set"];
        post?: never;
        /**
         * Delete a user, and the user's tokens
         * @description The last user with the role admin cannot be deleted.
         */
        delete: operations["user_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All volumes, by name */
        get: operations["volume_list"];
        put?: never;
        /** Create a volume */
        post: operations["volume_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes/{volume}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One volume */
        get: operations["volume_show"];
        /**
         * Create a volume, if there is none of that name
         * @description If there is one that is as the body says, that is answered, so that the same request twice is the same as once. If it differs,
         *     nothing is changed: PATCH does that.
         */
        put: operations["volume_put"];
        post?: never;
        /**
         * Delete a volume
         * @description Refused if it has files or snapshots, unless `force` is given, and if it has clones. Clients that have it mounted get "stale
         *     file handle" from then on.
         */
        delete: operations["volume_delete"];
        options?: never;
        head?: never;
        /**
         * Change a volume: all of what the body says, or nothing
         * @description What is absent stays; null takes a limit away.
         */
        patch: operations["volume_change"];
        trace?: never;
    };
    "/api/v1/volumes/{volume}/clones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a volume that begins as a copy of this one as it is
         * @description Takes no time and no space, whatever the size. A snapshot `clone-NAME` is taken for it.
         */
        post: operations["volume_clone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes/{volume}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The snapshots of a volume, by age */
        get: operations["snapshot_list"];
        put?: never;
        /** Take a snapshot */
        post: operations["snapshot_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes/{volume}/snapshots/{snapshot}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One snapshot */
        get: operations["snapshot_show"];
        /**
         * Take a snapshot, if there is none of that name
         * @description The same request twice is the same as once.
         */
        put: operations["snapshot_put"];
        post?: never;
        /**
         * Delete a snapshot
         * @description Refused if it has clones. The space that only it took comes back in the background.
         */
        delete: operations["snapshot_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes/{volume}/snapshots/{snapshot}/clones": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a volume that begins as a copy of the snapshot
         * @description Takes no time and no space, whatever the size. The snapshot cannot be deleted before the clone is.
         */
        post: operations["snapshot_clone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes/{volume}/snapshots/{snapshot}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the volume what the snapshot shows
         * @description All that was changed since is lost, so only admins may. Refused if there are younger snapshots, unless `force` is given.
         */
        post: operations["snapshot_rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who asks, and what the role is */
        get: operations["whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description What clients may do with a volume.
         * @enum {string}
         */
        Access: "rw" | "ro" | "none";
        /**
         * @description Whether a client answers calls of the server.
         * @enum {string}
         */
        BackChannel: "none" | "probing" | "answers" | "silent";
        /** @description How the pool is to be checked. */
        CheckRequest: {
            /** @description Also read and verify all data. */
            read?: boolean;
        };
        /** @description What a check looked at, and found. */
        CheckView: {
            /**
             * Format: uint64
             * @description Bytes of frames that are referenced.
             */
            bytes_live: number;
            /**
             * Format: uint64
             * @description Bytes of them.
             */
            bytes_read: number;
            /**
             * Format: uint64
             * @description Chunks whose references were counted.
             */
            chunks: number;
            /** @description One sentence for each, up to ten thousand. */
            differences: string[];
            /**
             * Format: uint64
             * @description Number of things that do not agree.
             */
            differences_count: number;
            /**
             * Format: uint64
             * @description Extents that were looked at.
             */
            extents: number;
            /**
             * Format: uint64
             * @description Frames that were read and verified.
             */
            frames_read: number;
            /**
             * Format: uint64
             * @description Inodes whose names, links and sizes were counted.
             */
            inodes: number;
            /**
             * Format: uint64
             * @description Segments whose live bytes were counted.
             */
            segments: number;
        };
        /**
         * @description Where a client stands.
         * @enum {string}
         */
        ClientState: "unconfirmed" | "reclaiming" | "confirmed" | "courteous" | "leaving";
        /** @description A client. */
        ClientView: {
            /** @description Where it registered from. */
            address?: string | null;
            /** @description For whom the certificates are that it showed. */
            certificates: string[];
            /** @description Its id, in hexadecimal. */
            client: string;
            /**
             * Format: uint64
             * @description How many separate ranges it has locked.
             */
            locks: number;
            /**
             * Format: uint64
             * @description Bytes of memory that are kept for it.
             */
            memory_bytes: number;
            /**
             * Format: uint64
             * @description How many files it has open.
             */
            opens: number;
            /** @description What it calls itself. */
            owner: string;
            /**
             * Format: uint64
             * @description How many sessions it has.
             */
            sessions: number;
            /**
             * Format: uint64
             * @description Milliseconds since it was heard of.
             */
            silent_ms: number;
            /** @description Where it stands. */
            state: components["schemas"]["ClientState"];
            /** @description How its connections are secured. */
            tls: components["schemas"]["TlsState"];
        };
        /**
         * @description Why something was not done, for programs.
         * @enum {string}
         */
        Code: "bad_request" | "invalid" | "token_missing" | "token_refused" | "role_insufficient" | "route_not_found" | "volume_not_found" | "snapshot_not_found" | "export_policy_not_found" | "export_rule_not_found" | "client_not_found" | "stateid_not_found" | "user_not_found" | "token_not_found" | "job_not_found" | "lab_report_not_found" | "not_found" | "method_not_allowed" | "request_timeout" | "already_exists" | "differs" | "in_use" | "volume_not_empty" | "size_below_used" | "permanent" | "last_admin" | "too_many" | "job_running" | "job_ended" | "body_too_large" | "media_type_unsupported" | "internal" | "unavailable" | "no_space";
        /**
         * @description How what is written is compressed.
         * @enum {string}
         */
        Compression: "none" | "lz4" | "zstd";
        /** @description What is stored for the files of a volume, or of all. */
        EfficiencyView: {
            /**
             * Format: uint64
             * @description Bytes that compression saves.
             */
            bytes_compressed: number;
            /**
             * Format: uint64
             * @description Bytes that take no space because others are the same.
             */
            bytes_deduplicated: number;
            /**
             * Format: uint64
             * @description Bytes of files that are holes.
             */
            bytes_holes: number;
            /**
             * Format: uint64
             * @description The part of them in the metadata store.
             */
            bytes_inline: number;
            /**
             * Format: uint64
             * @description Bytes of files that are not holes.
             */
            bytes_logical: number;
            /**
             * Format: uint64
             * @description Bytes that are stored.
             */
            bytes_physical: number;
            /**
             * Format: double
             * @description Logical to physical.
             */
            ratio: number;
        };
        /** @description Every answer that says that something was not done. */
        ErrorBody: {
            /** @description Why, and what to do. */
            error: components["schemas"]["ErrorView"];
        };
        /** @description Why something was not done, and what to do. */
        ErrorView: {
            /** @description For programs. */
            code: components["schemas"]["Code"];
            /** @description What happened, to what, and why. */
            message: string;
            /** @description To what, such as `volume kafka`. */
            object?: string | null;
            /** @description What to do. */
            remedy?: string | null;
            /** @description The request that it answers, as the daemon's log names it. */
            request_id?: string | null;
        };
        /** @description Something that happened. */
        EventView: {
            /** @description Where the user was: an address, or `local` for the socket. */
            address?: string | null;
            /**
             * Format: uint64
             * @description Increases with every event, also through restarts.
             */
            id: number;
            /** @description What it is, such as `volume_created`. */
            kind: string;
            /** @description All of it in a sentence. */
            message: string;
            /** @description To what it happened, such as `volume kafka`. */
            object: string;
            /** @description How much it matters. */
            severity: components["schemas"]["Severity"];
            /**
             * Format: date-time
             * @description When.
             */
            time: string;
            /** @description The user who did it; null: the daemon by itself. */
            user?: string | null;
        };
        /** @description A file that is open. */
        FileView: {
            /**
             * Format: uint64
             * @description The number of its inode.
             */
            inode: number;
            /** @description Its path from the server's root, if it still has the name by which it was opened. */
            path?: string | null;
            /** @description The volume; null if it is gone. */
            volume?: string | null;
        };
        /**
         * @description Who says which groups a caller is in, beside the first.
         * @enum {string}
         */
        Groups: "client" | "server";
        /**
         * @description How the daemon is.
         * @enum {string}
         */
        HealthStatus: "ok" | "degraded";
        /** @description How the daemon is. */
        HealthView: {
            /** @description Release of the daemon. */
            release: string;
            /** @description In a word. */
            status: components["schemas"]["HealthStatus"];
        };
        /** @description Points of one series. */
        HistorySeries: {
            /** @description The highest value of each point's time; null where nothing was measured. */
            max: (number | null)[];
            /** @description The mean of each point's time; null where nothing was measured. A mean of percentiles says less than the maximum. */
            mean: (number | null)[];
            /** @description The series, such as `throughput/write`. */
            name: string;
            /** @description In what its values are. */
            unit: components["schemas"]["Unit"];
        };
        /** @description Points of some series, all at the same times. */
        HistoryView: {
            /**
             * Format: uint64
             * @description When the first point's time begins, in seconds since 1970.
             */
            from: number;
            /** @description The series, by name. */
            series: components["schemas"]["HistorySeries"][];
            /**
             * Format: uint64
             * @description Seconds from point to point.
             */
            step: number;
            /**
             * Format: uint64
             * @description When the last point's time ends, in seconds since 1970.
             */
            to: number;
        };
        /**
         * @description What a job does.
         * @enum {string}
         */
        JobKind: "pool_check";
        /**
         * @description Where a job stands.
         * @enum {string}
         */
        JobState: "running" | "succeeded" | "failed" | "cancelled";
        /** @description A job. */
        JobView: {
            /** @description Why it failed, and what to do. */
            error?: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            finished?: string | null;
            /**
             * Format: uint64
             * @description Names it: `jobs/{id}`.
             */
            id: number;
            /** @description What it does. */
            kind: components["schemas"]["JobKind"];
            /** @description How far it is. */
            progress: components["schemas"]["ProgressView"];
            result?: components["schemas"]["CheckView"] | null;
            /**
             * Format: date-time
             * @description When it began.
             */
            started: string;
            /** @description Where it stands. */
            state: components["schemas"]["JobState"];
            /** @description Who began it. */
            user: string;
        };
        /** @description Where a report's page can be looked at. */
        LabPageView: {
            /**
             * Format: date-time
             * @description Until when.
             */
            expires: string;
            /** @description A path on this server that needs no token. Pages that this one links to are there as well. */
            path: string;
        };
        /**
         * @description What a report is about.
         * @enum {string}
         */
        LabReportKind: "run" | "all" | "comparison";
        /** @description A report. */
        LabReportView: {
            /** @description The experiment, if it is about one. */
            experiment?: string | null;
            /** @description The folder that it is in, from the directory of results; empty if it is in that directory itself. */
            folder: string;
            /** @description Names it: `lab/reports/{id}`. It follows from its place in the directory. */
            id: string;
            /** @description What it is about. */
            kind: components["schemas"]["LabReportKind"];
            /**
             * Format: uint64
             * @description Bytes of the page; null if there is none.
             */
            page_bytes?: number | null;
            /** @description What is wrong with it. */
            problem?: string | null;
            /** @description The runs, one for each storage. */
            runs: components["schemas"]["LabRunView"][];
            /**
             * Format: date-time
             * @description When its first run began; of what is no run, or is damaged, when it was written.
             */
            time: string;
        };
        /** @description The reports that there are. */
        LabReportsView: {
            /** @description The directory in which they are looked for; null if none is configured (`lab.results_directory`). */
            directory?: string | null;
            /** @description They, the youngest first. */
            items: components["schemas"]["LabReportView"][];
            /** @description Why there may be more than are shown, and what to do. */
            problem?: string | null;
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description One run of an experiment. */
        LabRunView: {
            /**
             * Format: uint64
             * @description Things that had to hold.
             */
            checks: number;
            /**
             * Format: uint64
             * @description Those of them that did.
             */
            checks_passed: number;
            /**
             * Format: uint64
             * @description How long it took, in milliseconds.
             */
            duration_ms: number;
            /** @description Which sizes it had. */
            profile: string;
            /**
             * Format: date-time
             * @description When it began.
             */
            started: string;
            /** @description The storage; of several that it compares, with commas between them. */
            storage: string;
            /** @description What came of it. */
            verdict: components["schemas"]["LabVerdict"];
            /** @description Versions of what took part, by name. */
            versions: {
                [key: string]: string;
            };
            /** @description Why, in one or two sentences. */
            why: string;
        };
        /**
         * @description The answer of an experiment.
         * @enum {string}
         */
        LabVerdict: "pass" | "fail";
        /** @description Several of something. */
        List_ClientView: {
            /** @description They. */
            items: {
                /** @description Where it registered from. */
                address?: string | null;
                /** @description For whom the certificates are that it showed. */
                certificates: string[];
                /** @description Its id, in hexadecimal. */
                client: string;
                /**
                 * Format: uint64
                 * @description How many separate ranges it has locked.
                 */
                locks: number;
                /**
                 * Format: uint64
                 * @description Bytes of memory that are kept for it.
                 */
                memory_bytes: number;
                /**
                 * Format: uint64
                 * @description How many files it has open.
                 */
                opens: number;
                /** @description What it calls itself. */
                owner: string;
                /**
                 * Format: uint64
                 * @description How many sessions it has.
                 */
                sessions: number;
                /**
                 * Format: uint64
                 * @description Milliseconds since it was heard of.
                 */
                silent_ms: number;
                /** @description Where it stands. */
                state: components["schemas"]["ClientState"];
                /** @description How its connections are secured. */
                tls: components["schemas"]["TlsState"];
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_EventView: {
            /** @description They. */
            items: {
                /** @description Where the user was: an address, or `local` for the socket. */
                address?: string | null;
                /**
                 * Format: uint64
                 * @description Increases with every event, also through restarts.
                 */
                id: number;
                /** @description What it is, such as `volume_created`. */
                kind: string;
                /** @description All of it in a sentence. */
                message: string;
                /** @description To what it happened, such as `volume kafka`. */
                object: string;
                /** @description How much it matters. */
                severity: components["schemas"]["Severity"];
                /**
                 * Format: date-time
                 * @description When.
                 */
                time: string;
                /** @description The user who did it; null: the daemon by itself. */
                user?: string | null;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_JobView: {
            /** @description They. */
            items: {
                /** @description Why it failed, and what to do. */
                error?: string | null;
                /**
                 * Format: date-time
                 * @description When it ended.
                 */
                finished?: string | null;
                /**
                 * Format: uint64
                 * @description Names it: `jobs/{id}`.
                 */
                id: number;
                /** @description What it does. */
                kind: components["schemas"]["JobKind"];
                /** @description How far it is. */
                progress: components["schemas"]["ProgressView"];
                result?: components["schemas"]["CheckView"] | null;
                /**
                 * Format: date-time
                 * @description When it began.
                 */
                started: string;
                /** @description Where it stands. */
                state: components["schemas"]["JobState"];
                /** @description Who began it. */
                user: string;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_LockView: {
            /** @description They. */
            items: (components["schemas"]["FileView"] & {
                /** @description The client's id. */
                client: string;
                /** @description What it keeps others from. */
                kind: components["schemas"]["LockKind"];
                /**
                 * Format: uint64
                 * @description How many bytes; null: to the end, whatever the size.
                 */
                length?: number | null;
                /**
                 * Format: uint64
                 * @description The first byte.
                 */
                offset: number;
                /** @description Names the locks of its owner on the file: `nfs/opens/{stateid}`. */
                stateid: string;
            })[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_LostSegmentView: {
            /** @description They. */
            items: {
                /**
                 * Format: uint64
                 * @description Its size.
                 */
                bytes: number;
                /** @description Its number, 16 hexadecimal digits: its file is NUMBER.seg in the directory `segments/lost+found`. */
                segment: string;
                /**
                 * Format: uint64
                 * @description The start of the daemon that made it.
                 */
                start: number;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_OpenView: {
            /** @description They. */
            items: (components["schemas"]["FileView"] & {
                /** @description What may be done: `r`, `w` or `rw`. */
                access: string;
                /** @description The client's id. */
                client: string;
                /** @description What others may not do: nothing, `r`, `w` or `rw`. */
                deny: string;
                /** @description Names it: `nfs/opens/{stateid}`. */
                stateid: string;
            })[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_OperationView: {
            /** @description They. */
            items: {
                /**
                 * Format: uint64
                 * @description How often it was executed since the daemon started.
                 */
                count: number;
                /**
                 * Format: uint64
                 * @description How often it failed.
                 */
                errors: number;
                /** @description Failures by status. */
                errors_by_status: {
                    [key: string]: number;
                };
                /** @description Its name, as RFC 8881 has it. */
                operation: string;
                /**
                 * Format: uint64
                 * @description Nanoseconds that half of the executions did not exceed.
                 */
                p50_ns: number;
                /**
                 * Format: uint64
                 * @description Nanoseconds that 99 of 100 did not exceed.
                 */
                p99_ns: number;
                /**
                 * Format: uint64
                 * @description Nanoseconds that they waited, all together.
                 */
                waited_ns: number;
                /**
                 * Format: uint64
                 * @description How many waited before that, because their volume has a limit.
                 */
                waits: number;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_PolicyView: {
            /** @description They. */
            items: {
                /** @description Its name. */
                name: string;
                /** @description Its rules; the first that is for a client decides. */
                rules: components["schemas"]["RuleView"][];
                /** @description The volumes that have it. */
                volumes: string[];
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_SessionView: {
            /** @description They. */
            items: {
                /** @description Whether the client answers calls. */
                back_channel: components["schemas"]["BackChannel"];
                /** @description The client's id. */
                client: string;
                /** @description Addresses at the other ends of its connections. */
                connections: string[];
                /**
                 * Format: uint32
                 * @description Bytes that a request may have.
                 */
                request_bytes_max: number;
                /** @description Its id, in hexadecimal. */
                session: string;
                /**
                 * Format: uint32
                 * @description How many requests the client may have in work.
                 */
                slots: number;
                /**
                 * Format: uint64
                 * @description How many it has in work.
                 */
                slots_in_work: number;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_SnapshotView: {
            /** @description They. */
            items: {
                /**
                 * Format: uint64
                 * @description Bytes of its files that are not holes.
                 */
                bytes_logical: number;
                /** @description Volumes that are clones of it. */
                clones: string[];
                /**
                 * Format: date-time
                 * @description When it was taken.
                 */
                created: string;
                /** @description Its own name. */
                name: string;
                /** @description `hourly`, `daily` or `weekly`, if it was taken by the clock. */
                period?: string | null;
                /** @description The volume that it was taken of. */
                volume: string;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_TokenView: {
            /** @description They. */
            items: {
                /**
                 * Format: date-time
                 * @description When it was made.
                 */
                created: string;
                /** @description What it is for. */
                description: string;
                /**
                 * Format: date-time
                 * @description When it expires; null: never.
                 */
                expires?: string | null;
                /** @description Names it. */
                id: string;
                /**
                 * Format: date-time
                 * @description When it was last used, since the daemon started.
                 */
                last_used?: string | null;
                /** @description Whose it is. */
                user: string;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_UserView: {
            /** @description They. */
            items: {
                /**
                 * Format: date-time
                 * @description When the user was created.
                 */
                created: string;
                /** @description The user's name. */
                name: string;
                /** @description What the user may do. */
                role: components["schemas"]["Role"];
                /**
                 * Format: uint64
                 * @description How many tokens the user has.
                 */
                tokens: number;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /** @description Several of something. */
        List_VolumeView: {
            /** @description They. */
            items: {
                /**
                 * Format: uint64
                 * @description Bytes that can still be written to it.
                 */
                bytes_free: number;
                /**
                 * Format: uint64
                 * @description Bytes of its files that are not holes.
                 */
                bytes_logical: number;
                /** @description The snapshot that it was made of, as VOLUME@SNAPSHOT. */
                clone_of?: string | null;
                /** @description How what is written to it is compressed. */
                compression: components["schemas"]["Compression"];
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                created: string;
                /** @description Its export policy. */
                export: string;
                /**
                 * Format: uint32
                 * @description Group of the root directory, as it is now.
                 */
                gid: number;
                /** @description Its id, in hexadecimal. Never used again after it is deleted; `id:` and this stands for the volume in paths. */
                id: string;
                /**
                 * Format: uint64
                 * @description Inodes that exist, the root directory and orphans included.
                 */
                inodes_used: number;
                /**
                 * Format: uint64
                 * @description Bytes per second that clients may read and write, if that is limited.
                 */
                max_bytes_per_second?: number | null;
                /** @description Permission bits of the root directory, as they are now, in octal. */
                mode: string;
                /** @description Its name. */
                name: string;
                /**
                 * Format: uint64
                 * @description Files without a name that are still open.
                 */
                orphans: number;
                /** @description Its junction path: what clients mount. */
                path: string;
                /** @description Whether clients are told that open files survive their unlink. */
                preserve_unlink: boolean;
                /**
                 * Format: uint64
                 * @description Bytes that it may hold, if that is limited.
                 */
                size?: number | null;
                /** @description Snapshots that are taken by the clock. */
                snapshots: components["schemas"]["Plan"];
                /**
                 * Format: uint32
                 * @description Owner of the root directory, as it is now.
                 */
                uid: number;
                waits?: components["schemas"]["WaitsView"] | null;
            }[];
            /**
             * Format: uint64
             * @description How many there are; more than `items` has if a limit was given.
             */
            total: number;
        };
        /**
         * @description What a lock keeps others from.
         * @enum {string}
         */
        LockKind: "read" | "write";
        /** @description A lock. */
        LockView: components["schemas"]["FileView"] & {
            /** @description The client's id. */
            client: string;
            /** @description What it keeps others from. */
            kind: components["schemas"]["LockKind"];
            /**
             * Format: uint64
             * @description How many bytes; null: to the end, whatever the size.
             */
            length?: number | null;
            /**
             * Format: uint64
             * @description The first byte.
             */
            offset: number;
            /** @description Names the locks of its owner on the file: `nfs/opens/{stateid}`. */
            stateid: string;
        };
        /** @description A segment that no metadata names. */
        LostSegmentView: {
            /**
             * Format: uint64
             * @description Its size.
             */
            bytes: number;
            /** @description Its number, 16 hexadecimal digits: its file is NUMBER.seg in the directory `segments/lost+found`. */
            segment: string;
            /**
             * Format: uint64
             * @description The start of the daemon that made it.
             */
            start: number;
        };
        /** @description A clone of a volume, as it is, to be made. Its first content is a snapshot `clone-NAME` of the volume. */
        NewClone: {
            /** @description Its export policy; that of the volume if it is absent. */
            export?: string;
            /** @description The clone's name. */
            name: string;
            /** @description The path that clients mount; `/` and the clone's name if it is absent. */
            path?: string;
        };
        /** @description A policy to be created. */
        NewPolicy: {
            /** @description Its name. */
            name: string;
            /** @description Its rules; without any, nobody sees a volume that has it. */
            rules?: components["schemas"]["NewRule"][];
        };
        /** @description A rule to be made. What is absent is as in most rules. */
        NewRule: {
            /** @description What they may do; rw if it is absent. */
            access?: components["schemas"]["Access"];
            /**
             * Format: uint32
             * @description The anonymous user's group; 65534 if it is absent.
             */
            anonymous_gid?: number;
            /**
             * Format: uint32
             * @description The anonymous user; 65534 if it is absent.
             */
            anonymous_uid?: number;
            /** @description The clients that it is for: `*`, an address, a network such as 10.0.0.0/8, or a host name. */
            clients: string;
            /** @description Who says which groups a caller is in; client if it is absent. */
            groups?: components["schemas"]["Groups"];
            /** @description How callers say who they are; sys if it is absent. */
            security?: components["schemas"]["Security"];
            /** @description Which of their users are taken for the anonymous one; none if it is absent. */
            squash?: components["schemas"]["Squash"];
            /** @description Whether connections must be secured; optional if it is absent. */
            tls?: components["schemas"]["TlsUse"];
        };
        /** @description A snapshot to be taken of one volume. */
        NewSnapshot: {
            /** @description Its name. */
            name: string;
        };
        /** @description Snapshots to be taken of several volumes, all of one instant. */
        NewSnapshots: {
            /** @description The snapshots' name. */
            name: string;
            /** @description The volumes' names. */
            volumes: string[];
        };
        /** @description A token to be made. Without `expires_in` and `expires` it does not expire. */
        NewToken: {
            /** @description What it is for. */
            description?: string;
            /**
             * Format: date-time
             * @description When it expires, in UTC; not together with `expires_in`.
             */
            expires?: string;
            /**
             * Format: uint64
             * @description After how many seconds it expires.
             */
            expires_in?: number;
            /** @description Whose it is. */
            user: string;
        };
        /** @description A volume to be created. What is absent but its name is as in most volumes. */
        NewVolume: {
            /** @description How what is written to it is compressed; lz4 if it is absent. */
            compression?: components["schemas"]["Compression"];
            /** @description The export policy that says which clients see it; `default` if it is absent. */
            export?: string;
            /**
             * Format: uint32
             * @description Group of the root directory; 0 if it is absent.
             */
            gid?: number;
            /**
             * Format: uint64
             * @description Bytes per second that clients may read and write; null: no limit.
             */
            max_bytes_per_second?: number | null;
            /** @description Permission bits of the root directory, in octal; 0755 if it is absent. */
            mode?: string;
            /** @description Its name. */
            name: string;
            /** @description The path that clients mount; `/` and the volume's name if it is absent. */
            path?: string;
            /** @description Whether clients are told that open files survive their unlink; true if it is absent. */
            preserve_unlink?: boolean;
            /**
             * Format: uint64
             * @description Bytes that it may hold; null: as many as the pool has room for.
             */
            size?: number | null;
            /** @description Snapshots that are taken by the clock. */
            snapshots?: components["schemas"]["Plan"];
            /**
             * Format: uint32
             * @description Owner of the root directory; 0 if it is absent.
             */
            uid?: number;
        };
        /** @description Where clients reach NFS, and how they mount from there. */
        NfsView: {
            /** @description The address that the server listens on. */
            address: string;
            /** @description It listens on every address of its machine. */
            every_address: boolean;
            /** @description What stands for the server in a mount command: the address that it listens on, or its machine's own name if it listens on every one. */
            host: string;
            /** @description The options of a mount command: `mount -t nfs -o OPTIONS HOST:PATH DIRECTORY`. */
            options: string;
            /**
             * Format: uint32
             * @description The port.
             */
            port: number;
            /** @description TLS is offered. */
            tls: boolean;
        };
        /** @description An open. */
        OpenView: components["schemas"]["FileView"] & {
            /** @description What may be done: `r`, `w` or `rw`. */
            access: string;
            /** @description The client's id. */
            client: string;
            /** @description What others may not do: nothing, `r`, `w` or `rw`. */
            deny: string;
            /** @description Names it: `nfs/opens/{stateid}`. */
            stateid: string;
        };
        /** @description Counters of one operation. */
        OperationView: {
            /**
             * Format: uint64
             * @description How often it was executed since the daemon started.
             */
            count: number;
            /**
             * Format: uint64
             * @description How often it failed.
             */
            errors: number;
            /** @description Failures by status. */
            errors_by_status: {
                [key: string]: number;
            };
            /** @description Its name, as RFC 8881 has it. */
            operation: string;
            /**
             * Format: uint64
             * @description Nanoseconds that half of the executions did not exceed.
             */
            p50_ns: number;
            /**
             * Format: uint64
             * @description Nanoseconds that 99 of 100 did not exceed.
             */
            p99_ns: number;
            /**
             * Format: uint64
             * @description Nanoseconds that they waited, all together.
             */
            waited_ns: number;
            /**
             * Format: uint64
             * @description How many waited before that, because their volume has a limit.
             */
            waits: number;
        };
        /** @description How many snapshots of each period are taken by the clock, and kept. */
        Plan: {
            /**
             * Format: uint32
             * @description At midnight, UTC.
             */
            daily?: number;
            /**
             * Format: uint32
             * @description At full hours.
             */
            hourly?: number;
            /**
             * Format: uint32
             * @description At midnight before Sunday, UTC.
             */
            weekly?: number;
        };
        /** @description All rules of a policy. */
        PolicyRules: {
            /** @description The rules; the first that is for a client decides. */
            rules: components["schemas"]["NewRule"][];
        };
        /** @description A policy. */
        PolicyView: {
            /** @description Its name. */
            name: string;
            /** @description Its rules; the first that is for a client decides. */
            rules: components["schemas"]["RuleView"][];
            /** @description The volumes that have it. */
            volumes: string[];
        };
        /** @description The pool. */
        PoolView: {
            /**
             * Format: uint64
             * @description How many times it has been opened.
             */
            boot: number;
            /**
             * Format: uint64
             * @description Bytes of frames that are not; the cleaner gives them back.
             */
            bytes_dead: number;
            /**
             * Format: uint64
             * @description Bytes that can still be written.
             */
            bytes_free: number;
            /**
             * Format: uint64
             * @description Bytes of tails, in the metadata store.
             */
            bytes_inline: number;
            /**
             * Format: uint64
             * @description Bytes of frames that are referenced.
             */
            bytes_live: number;
            /**
             * Format: uint64
             * @description Bytes of all files that are not holes.
             */
            bytes_logical: number;
            /**
             * Format: uint64
             * @description Bytes that it can hold.
             */
            bytes_total: number;
            /** @description Its directory. */
            directory: string;
            /** @description Its id, in hexadecimal. */
            id: string;
            /**
             * Format: uint64
             * @description Inodes that exist, orphans included.
             */
            inodes_used: number;
            /**
             * Format: uint64
             * @description Bytes that they take.
             */
            lost_found_bytes: number;
            /**
             * Format: uint64
             * @description Segments that no metadata names, kept in `lost+found`.
             */
            lost_found_segments: number;
            /**
             * Format: uint64
             * @description Files without a name that are still open.
             */
            orphans: number;
            /** @description Release of the daemon. */
            release: string;
            /** @description Verification of what is stored. */
            scrub: components["schemas"]["ScrubView"];
            /**
             * Format: uint64
             * @description Number of segments.
             */
            segments: number;
            /**
             * Format: uint64
             * @description Segments that hold data and are not there; what they hold cannot be read.
             */
            segments_missing: number;
            /**
             * Format: uint64
             * @description Number of volumes.
             */
            volumes: number;
        };
        /**
         * @description What progress is counted in.
         * @enum {string}
         */
        ProgressUnit: "chunks" | "bytes";
        /** @description How far a job is. */
        ProgressView: {
            /**
             * Format: uint64
             * @description What is done.
             */
            done: number;
            /**
             * Format: uint64
             * @description All there is to do, as far as it is known; 0 before it is.
             */
            total: number;
            /** @description In what both are counted. */
            unit: components["schemas"]["ProgressUnit"];
        };
        /**
         * @description What a user may do; each role may do what those before it may.
         * @enum {string}
         */
        Role: "read-only" | "operator" | "admin";
        /** @description How a volume is to be rolled back. */
        Rollback: {
            /** @description Also if younger snapshots go with it. */
            force?: boolean;
        };
        /** @description What is to change of a rule; what is absent stays. */
        RuleChange: {
            /** @description What the clients may do. */
            access?: components["schemas"]["Access"];
            /**
             * Format: uint32
             * @description The anonymous user's group.
             */
            anonymous_gid?: number;
            /**
             * Format: uint32
             * @description The anonymous user.
             */
            anonymous_uid?: number;
            /** @description Who says which groups a caller is in. */
            groups?: components["schemas"]["Groups"];
            /** @description Which of their users are taken for the anonymous one. */
            squash?: components["schemas"]["Squash"];
            /** @description Whether connections must be secured. */
            tls?: components["schemas"]["TlsUse"];
        };
        /** @description A rule. */
        RuleView: {
            /** @description What they may do. */
            access: components["schemas"]["Access"];
            /** @description What a host name stands for now; null for other clients, and before it was looked up. */
            addresses?: string[] | null;
            /**
             * Format: uint32
             * @description The anonymous user's group.
             */
            anonymous_gid: number;
            /**
             * Format: uint32
             * @description The anonymous user.
             */
            anonymous_uid: number;
            /** @description The clients that it is for. */
            clients: string;
            /** @description Who says which groups a caller is in. */
            groups: components["schemas"]["Groups"];
            /** @description How callers say who they are. */
            security: components["schemas"]["Security"];
            /** @description Which of their users are taken for the anonymous one. */
            squash: components["schemas"]["Squash"];
            /** @description Whether connections must be secured. */
            tls: components["schemas"]["TlsUse"];
        };
        /** @description How the verification of everything stands. */
        ScrubView: {
            /**
             * Format: uint64
             * @description Bytes of them.
             */
            bytes: number;
            /**
             * Format: uint64
             * @description Bytes of all frames that are referenced.
             */
            bytes_total: number;
            /**
             * Format: uint64
             * @description Copies that are kept of everything.
             */
            copies: number;
            /** @description The first of them. */
            damage: string[];
            /**
             * Format: uint64
             * @description Frames that are damaged in every copy, headers of segments that could not be mended, and gaps in the metadata.
             */
            damaged: number;
            /** @description A copy is not there. */
            degraded: boolean;
            /**
             * Format: date-time
             * @description When the last one that was not stopped ended.
             */
            finished?: string | null;
            /**
             * Format: uint64
             * @description Frames verified in it.
             */
            frames: number;
            /**
             * Format: uint64
             * @description What was written again from the other copy.
             */
            repaired: number;
            /** @description One is under way. */
            running: boolean;
            /**
             * Format: date-time
             * @description When the last one began.
             */
            started?: string | null;
        };
        /**
         * @description How callers say who they are.
         * @enum {string}
         */
        Security: "sys";
        /** @description A session. */
        SessionView: {
            /** @description Whether the client answers calls. */
            back_channel: components["schemas"]["BackChannel"];
            /** @description The client's id. */
            client: string;
            /** @description Addresses at the other ends of its connections. */
            connections: string[];
            /**
             * Format: uint32
             * @description Bytes that a request may have.
             */
            request_bytes_max: number;
            /** @description Its id, in hexadecimal. */
            session: string;
            /**
             * Format: uint32
             * @description How many requests the client may have in work.
             */
            slots: number;
            /**
             * Format: uint64
             * @description How many it has in work.
             */
            slots_in_work: number;
        };
        /** @description What a user is to be like. */
        SetUser: {
            /** @description What the user may do. */
            role: components["schemas"]["Role"];
        };
        /**
         * @description How much an event matters.
         * @enum {string}
         */
        Severity: "info" | "warning" | "error";
        /** @description A snapshot. */
        SnapshotView: {
            /**
             * Format: uint64
             * @description Bytes of its files that are not holes.
             */
            bytes_logical: number;
            /** @description Volumes that are clones of it. */
            clones: string[];
            /**
             * Format: date-time
             * @description When it was taken.
             */
            created: string;
            /** @description Its own name. */
            name: string;
            /** @description `hourly`, `daily` or `weekly`, if it was taken by the clock. */
            period?: string | null;
            /** @description The volume that it was taken of. */
            volume: string;
        };
        /**
         * @description Which users are taken for the anonymous one.
         * @enum {string}
         */
        Squash: "none" | "root" | "all";
        /**
         * @description How the connections of a client are secured.
         * @enum {string}
         */
        TlsState: "off" | "partly" | "on" | "mutual";
        /**
         * @description Whether connections must be secured (RFC 9289).
         * @enum {string}
         */
        TlsUse: "off" | "optional" | "required" | "mutual";
        /** @description A token that was just made. */
        TokenCreated: {
            /** @description What to send as `Authorization: Bearer …`. Nobody can be told it again. */
            secret: string;
            /** @description The rest. */
            token: components["schemas"]["TokenView"];
        };
        /** @description A token, without its secret. */
        TokenView: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created: string;
            /** @description What it is for. */
            description: string;
            /**
             * Format: date-time
             * @description When it expires; null: never.
             */
            expires?: string | null;
            /** @description Names it. */
            id: string;
            /**
             * Format: date-time
             * @description When it was last used, since the daemon started.
             */
            last_used?: string | null;
            /** @description Whose it is. */
            user: string;
        };
        /**
         * @description In what the values of a series are.
         * @enum {string}
         */
        Unit: "bytes" | "bytes_per_second" | "operations_per_second" | "seconds" | "count";
        /** @description A user. */
        UserView: {
            /**
             * Format: date-time
             * @description When the user was created.
             */
            created: string;
            /** @description The user's name. */
            name: string;
            /** @description What the user may do. */
            role: components["schemas"]["Role"];
            /**
             * Format: uint64
             * @description How many tokens the user has.
             */
            tokens: number;
        };
        /** @description What is to change of a volume: what is absent stays, and null takes a limit away. */
        VolumeEdit: {
            /** @description How what is written to it from now on is compressed. */
            compression?: components["schemas"]["Compression"];
            /** @description The export policy that says which clients see it. */
            export?: string;
            /**
             * Format: uint32
             * @description Group of the root directory.
             */
            gid?: number;
            /**
             * Format: uint64
             * @description Bytes per second that clients may read and write; null: no limit.
             */
            max_bytes_per_second?: number | null;
            /** @description Permission bits of the root directory, in octal. */
            mode?: string;
            /** @description The path that clients mount. Clients that have it mounted go on. */
            path?: string;
            /** @description Whether clients are told that open files survive their unlink; for files that are opened from now on. */
            preserve_unlink?: boolean;
            /**
             * Format: uint64
             * @description Bytes that it may hold; null: as many as the pool has room for.
             */
            size?: number | null;
            /** @description Snapshots that are taken by the clock. */
            snapshots?: components["schemas"]["Plan"];
            /**
             * Format: uint32
             * @description Owner of the root directory.
             */
            uid?: number;
        };
        /** @description What a new volume is to be like, but for its name. What is absent is as in most volumes. */
        VolumeSettings: {
            /** @description How what is written to it is compressed; lz4 if it is absent. */
            compression?: components["schemas"]["Compression"];
            /** @description The export policy that says which clients see it; `default` if it is absent. */
            export?: string;
            /**
             * Format: uint32
             * @description Group of the root directory; 0 if it is absent.
             */
            gid?: number;
            /**
             * Format: uint64
             * @description Bytes per second that clients may read and write; null: no limit.
             */
            max_bytes_per_second?: number | null;
            /** @description Permission bits of the root directory, in octal; 0755 if it is absent. */
            mode?: string;
            /** @description The path that clients mount; `/` and the volume's name if it is absent. */
            path?: string;
            /** @description Whether clients are told that open files survive their unlink; true if it is absent. */
            preserve_unlink?: boolean;
            /**
             * Format: uint64
             * @description Bytes that it may hold; null: as many as the pool has room for.
             */
            size?: number | null;
            /** @description Snapshots that are taken by the clock. */
            snapshots?: components["schemas"]["Plan"];
            /**
             * Format: uint32
             * @description Owner of the root directory; 0 if it is absent.
             */
            uid?: number;
        };
        /** @description A volume. */
        VolumeView: {
            /**
             * Format: uint64
             * @description Bytes that can still be written to it.
             */
            bytes_free: number;
            /**
             * Format: uint64
             * @description Bytes of its files that are not holes.
             */
            bytes_logical: number;
            /** @description The snapshot that it was made of, as VOLUME@SNAPSHOT. */
            clone_of?: string | null;
            /** @description How what is written to it is compressed. */
            compression: components["schemas"]["Compression"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created: string;
            /** @description Its export policy. */
            export: string;
            /**
             * Format: uint32
             * @description Group of the root directory, as it is now.
             */
            gid: number;
            /** @description Its id, in hexadecimal. Never used again after it is deleted; `id:` and this stands for the volume in paths. */
            id: string;
            /**
             * Format: uint64
             * @description Inodes that exist, the root directory and orphans included.
             */
            inodes_used: number;
            /**
             * Format: uint64
             * @description Bytes per second that clients may read and write, if that is limited.
             */
            max_bytes_per_second?: number | null;
            /** @description Permission bits of the root directory, as they are now, in octal. */
            mode: string;
            /** @description Its name. */
            name: string;
            /**
             * Format: uint64
             * @description Files without a name that are still open.
             */
            orphans: number;
            /** @description Its junction path: what clients mount. */
            path: string;
            /** @description Whether clients are told that open files survive their unlink. */
            preserve_unlink: boolean;
            /**
             * Format: uint64
             * @description Bytes that it may hold, if that is limited.
             */
            size?: number | null;
            /** @description Snapshots that are taken by the clock. */
            snapshots: components["schemas"]["Plan"];
            /**
             * Format: uint32
             * @description Owner of the root directory, as it is now.
             */
            uid: number;
            waits?: components["schemas"]["WaitsView"] | null;
        };
        /** @description Requests that had to wait for the limit of a volume. */
        WaitsView: {
            /**
             * Format: uint64
             * @description How many.
             */
            requests: number;
            /**
             * Format: uint64
             * @description How many of them were told to come again, as the wait would have been too long.
             */
            turned_away: number;
            /**
             * Format: uint64
             * @description Milliseconds that they waited, all together.
             */
            waited_ms: number;
        };
        /** @description Who asks. */
        WhoView: {
            /** @description What the user may do. */
            role: components["schemas"]["Role"];
            /** @description The user's name; `local` over the socket. */
            user: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    event_list: {
        parameters: {
            query?: {
                /** @description Only those after the event of this id, the first of them; without it the last there are. */
                after?: number;
                /** @description Only those that matter as much. */
                severity?: components["schemas"]["Severity"];
                /** @description How many at most; 100 if it is absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_EventView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    policy_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_PolicyView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    policy_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPolicy"];
            };
        };
        responses: {
            /** @description The policy */
            201: {
                headers: {
                    /** @description The policy */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name is taken, or two rules are for the same clients */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    policy_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The policy's name. */
                policy: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    policy_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The policy's name. */
                policy: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyRules"];
            };
        };
        responses: {
            /** @description The policy */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyView"];
                };
            };
            /** @description It was created */
            201: {
                headers: {
                    /** @description The policy */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Two rules are for the same clients */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    policy_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The policy's name. */
                policy: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A volume has it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    rule_add: {
        parameters: {
            query?: {
                /** @description Where it is put, counted from 1; the last if it is absent. */
                position?: number;
            };
            header?: never;
            path: {
                /** @description The policy's name. */
                policy: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRule"];
            };
        };
        responses: {
            /** @description The policy */
            201: {
                headers: {
                    /** @description The rule */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It has a rule for these clients */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    rule_remove: {
        parameters: {
            query?: {
                /** @description Refuse unless the rule there is for exactly these clients: somebody may have put another before it. */
                clients?: string;
            };
            header?: never;
            path: {
                /** @description The policy's name. */
                policy: string;
                /** @description Where the rule stands, counted from 1. */
                position: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The rule is for other clients */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    rule_change: {
        parameters: {
            query?: {
                /** @description Refuse unless the rule there is for exactly these clients: somebody may have put another before it. */
                clients?: string;
            };
            header?: never;
            path: {
                /** @description The policy's name. */
                policy: string;
                /** @description Where the rule stands, counted from 1. */
                position: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RuleChange"];
            };
        };
        responses: {
            /** @description The policy */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The rule is for other clients */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    health_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    job_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_JobView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    job_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                job: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    job_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job's id. */
                job: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was told to end */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It has ended already */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    report_list: {
        parameters: {
            query?: {
                /** @description How many at most; 500, as many as there can be, if it is absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabReportsView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    report_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The report's id. */
                report: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabReportView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    report_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The report's id. */
                report: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    report_open: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The report's id. */
                report: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where it is */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabPageView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    history_show: {
        parameters: {
            query?: {
                /**
                 * @description Beginnings of names of series, with commas between them: `throughput/` or `latency/write/p99,volume/kafka/`. All series if it is
                 *     left out.
                 */
                series?: string;
                /** @description From when, in seconds since 1970. An hour before `to` if it is left out. */
                from?: number;
                /** @description Until when, in seconds since 1970. Now if it is left out. */
                to?: number;
                /**
                 * @description Seconds from point to point, which is rounded up: to a multiple of 5 for the last hour, of 60 for the last day, of 900 for what is older.
                 *     As many as make up to 1,500 points if it is left out.
                 */
                step?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    nfs_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where and how */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NfsView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    client_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_ClientView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    client_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id. */
                client: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    client_revoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id. */
                client: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has nothing any more */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    lock_list: {
        parameters: {
            query?: {
                /** @description Only those of this client. */
                client?: string;
                /** @description How many are shown at most, the oldest first; 10000 if it is absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_LockView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such client */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    open_list: {
        parameters: {
            query?: {
                /** @description Only those of this client. */
                client?: string;
                /** @description How many are shown at most, the oldest first; 10000 if it is absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_OpenView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such client */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    open_revoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The stateid. */
                stateid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    operation_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_OperationView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    session_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SessionView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    openapi_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    pool_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pool */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    pool_check: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CheckRequest"];
            };
        };
        responses: {
            /** @description It has begun */
            202: {
                headers: {
                    /** @description The job */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A check is under way */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    pool_efficiency: {
        parameters: {
            query?: {
                /** @description Only of this volume: its name, or `id:` and its id. */
                volume?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is saved */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EfficiencyView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such volume */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    lost_found_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The segments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_LostSegmentView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    lost_found_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The segment's number, 16 hexadecimal digits. */
                segment: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The segment is deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such segment */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    scrub_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScrubView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    scrub_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has begun */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScrubView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    scrub_stop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it stands */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScrubView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_list_all: {
        parameters: {
            query?: {
                /** @description Only of this volume: its name, or `id:` and its id. */
                volume?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SnapshotView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such volume */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_create_all: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSnapshots"];
            };
        };
        responses: {
            /** @description The snapshots */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SnapshotView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such volume */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A volume has a snapshot of that name */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    token_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_TokenView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    token_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToken"];
            };
        };
        responses: {
            /** @description The token, with its secret */
            201: {
                headers: {
                    /** @description The token */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenCreated"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such user */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There are as many tokens as there can be */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    token_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token's id. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    token_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token's id. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    user_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_UserView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    user_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    user_set: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                user: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetUser"];
            };
        };
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserView"];
                };
            };
            /** @description The user was made */
            201: {
                headers: {
                    /** @description The user */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There are as many users as there can be, or it is the last one with the role admin */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    user_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It is the last one with the role admin */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    volume_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_VolumeView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    volume_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewVolume"];
            };
        };
        responses: {
            /** @description The volume */
            201: {
                headers: {
                    /** @description The volume */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is no such export policy */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name or the path is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    volume_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The volume */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    volume_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VolumeSettings"];
            };
        };
        responses: {
            /** @description It is there, and as the body says */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description It was created */
            201: {
                headers: {
                    /** @description The volume */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It is there and differs, or the path is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    volume_delete: {
        parameters: {
            query?: {
                /** @description Also if something is lost with it. Only admins may. */
                force?: boolean;
            };
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It has files, snapshots or clones */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    volume_change: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VolumeEdit"];
            };
        };
        responses: {
            /** @description The volume as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The path is taken, or it holds more than the size */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    volume_clone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewClone"];
            };
        };
        responses: {
            /** @description The clone */
            201: {
                headers: {
                    /** @description The clone */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name or the path is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SnapshotView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSnapshot"];
            };
        };
        responses: {
            /** @description The snapshot */
            201: {
                headers: {
                    /** @description The snapshot */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The volume has a snapshot of that name */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
                /** @description The snapshot's own name. */
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
                /** @description The snapshot's own name. */
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is there */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
            /** @description It was taken */
            201: {
                headers: {
                    /** @description The snapshot */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Somebody else took one of that name just now */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
                /** @description The snapshot's own name. */
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It has clones */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_clone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
                /** @description The snapshot's own name. */
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewClone"];
            };
        };
        responses: {
            /** @description The clone */
            201: {
                headers: {
                    /** @description The clone */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name or the path is taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    snapshot_rollback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
                /** @description The snapshot's own name. */
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rollback"];
            };
        };
        responses: {
            /** @description The volume */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There is none of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not come in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There are younger snapshots */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body is not said to be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool is full */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    whoami: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhoView"];
                };
            };
            /** @description The path, the query or the body is not what it must be */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description No token, or one that is not valid */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user's role does not allow it */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description It failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is ending */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
}

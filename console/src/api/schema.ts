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
         * List events, oldest first
         * @description The daemon keeps the last 2000 events in memory and loses them when it stops. Its log has all of them.
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
        /** List all export policies, by name */
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
        /** Get an export policy */
        get: operations["policy_show"];
        /**
         * Replace all rules of an export policy; create the policy if it does not exist
         * @description Takes effect immediately and in one step. The request is idempotent.
         */
        put: operations["policy_put"];
        post?: never;
        /** Delete an export policy that no volume uses */
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
        /** Change a rule, without interrupting its clients' access */
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
         * Get the daemon's health
         * @description Needs no token. The status is `degraded` if data is damaged, segments or the second copy are missing, or
         *     the pool has stopped.
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
        /** List running jobs and the most recent finished ones */
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
        /** Get a job */
        get: operations["job_show"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description The response is sent when cancellation has been requested; `state` shows when the job has ended.
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
         * List the lab's reports, newest first
         * @description The reports are in `lab.results_directory`. A report that cannot be read is listed, and its `problem` says
         *     why.
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
        /** Get a lab report */
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
         * Get the page of a lab report
         * @description The page is self-contained. It is served with headers that prevent it from running scripts.
         */
        get: operations["report_page"];
        put?: never;
        /**
         * Create a temporary path for the page of a lab report
         * @description The path in the response needs no token and is valid for ten minutes. A browser needs it because it sends
         *     no token for the content of a frame.
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
         * Get the history of throughput, latency, capacity and other metrics
         * @description Kept in memory since the daemon started: 5-second samples for an hour, 1-minute samples for a day, and
         *     15-minute samples for 30 days.
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
        /** Get the address of the NFS server and its mount options */
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
        /** List all clients */
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
        /** Get a client */
        get: operations["client_show"];
        put?: never;
        post?: never;
        /**
         * Revoke all state of a client
         * @description A client that is still running registers again. To keep it out, change the export policy first.
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
         * List byte-range locks
         * @description `limit` and `total` count lock owners; each owner may have several ranges.
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
        /** List open files */
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
        /** Revoke an open with its locks, or one owner's locks on one file */
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
        /** Get counters, errors and latency of each operation */
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
        /** List all sessions */
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
        /** Get this document */
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
        /** Get the pool and its sizes */
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
         * Recount everything in the pool and report inconsistencies
         * @description The response contains a job, whose `result` will hold the findings. One check runs at a time.
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
         * Get the savings from deduplication and compression
         * @description Scans every extent of the volume or the pool, which takes a while. One such request is processed at a
         *     time.
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
         * List segments that are unknown to the metadata
         * @description They were found when the pool was opened, and stay in `lost+found` until they are deleted. After a crash
         *     such a segment usually holds only data that was never acknowledged.
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
        /** Delete a segment that is unknown to the metadata */
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
        /** Get the state of the scrub */
        get: operations["scrub_show"];
        put?: never;
        /** Start a scrub that verifies all stored data in the background */
        post: operations["scrub_start"];
        /** Stop the running scrub */
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
        /** List the snapshots of all volumes or of one, by volume and age */
        get: operations["snapshot_list_all"];
        put?: never;
        /** Take a snapshot of several volumes at the same instant */
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
        /** List all tokens, by user and age */
        get: operations["token_list"];
        put?: never;
        /**
         * Create a token
         * @description The response contains the secret, which cannot be retrieved again.
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
        /** Get a token, without its secret */
        get: operations["token_show"];
        put?: never;
        post?: never;
        /** Revoke a token */
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
        /** List all users, by name */
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
        /** Get a user */
        get: operations["user_show"];
        /**
         * Set a user's role; create the user if it does not exist
         * @description The role of the last user with the role admin cannot be changed.
         */
        put: operations["user_set"];
        post?: never;
        /**
         * Delete a user and its tokens
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
        /** List all volumes, by name */
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
        /** Get a volume */
        get: operations["volume_show"];
        /**
         * Create a volume, unless it exists
         * @description If the volume exists with the same settings, it is returned, so the request is idempotent. If its settings
         *     differ, nothing is changed; use PATCH to change it.
         */
        put: operations["volume_put"];
        post?: never;
        /**
         * Delete a volume
         * @description Refused if the volume has clones. Refused if it has files or snapshots, unless `force` is given. Clients
         *     that have it mounted get "stale file handle" from then on.
         */
        delete: operations["volume_delete"];
        options?: never;
        head?: never;
        /**
         * Change a volume
         * @description Either all changes are made or none. Fields that are absent stay unchanged; null removes a limit.
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
         * Create a volume from the current state of a volume
         * @description A clone takes no time and no space to create, whatever its size. A snapshot `clone-NAME` is taken for it.
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
        /** List the snapshots of a volume, by age */
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
        /** Get a snapshot */
        get: operations["snapshot_show"];
        /**
         * Take a snapshot, unless one of that name exists
         * @description The request is idempotent.
         */
        put: operations["snapshot_put"];
        post?: never;
        /**
         * Delete a snapshot
         * @description Refused if the snapshot has clones. Space that only this snapshot used is freed in the background.
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
         * Create a volume from a snapshot
         * @description A clone takes no time and no space to create, whatever its size. The snapshot cannot be deleted before the
         *     clone.
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
         * Revert a volume to a snapshot
         * @description All changes made since the snapshot are lost, so this needs the role admin. Refused if there are newer
         *     snapshots, unless `force` is given.
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
        /** Get the calling user and its role */
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
         * @description The access that clients have to a volume.
         * @enum {string}
         */
        Access: "rw" | "ro" | "none";
        /**
         * @description Whether a client answers the server's callbacks.
         * @enum {string}
         */
        BackChannel: "none" | "probing" | "answers" | "silent";
        /** @description The options of a pool check. */
        CheckRequest: {
            /** @description Whether to also read and verify all data. */
            read?: boolean;
        };
        /** @description The result of a pool check. */
        CheckView: {
            /**
             * Format: uint64
             * @description Bytes of referenced frames.
             */
            bytes_live: number;
            /**
             * Format: uint64
             * @description Bytes of frames read and verified.
             */
            bytes_read: number;
            /**
             * Format: uint64
             * @description Number of chunks whose references were counted.
             */
            chunks: number;
            /** @description One sentence per inconsistency, up to ten thousand. */
            differences: string[];
            /**
             * Format: uint64
             * @description Number of inconsistencies.
             */
            differences_count: number;
            /**
             * Format: uint64
             * @description Number of extents checked.
             */
            extents: number;
            /**
             * Format: uint64
             * @description Number of frames read and verified.
             */
            frames_read: number;
            /**
             * Format: uint64
             * @description Number of inodes whose names, links and sizes were counted.
             */
            inodes: number;
            /**
             * Format: uint64
             * @description Number of segments whose live bytes were counted.
             */
            segments: number;
        };
        /**
         * @description The state of a client.
         * @enum {string}
         */
        ClientState: "unconfirmed" | "reclaiming" | "confirmed" | "courteous" | "leaving";
        /** @description An NFS client. */
        ClientView: {
            /** @description The address it registered from. */
            address?: string | null;
            /** @description Subjects of the certificates that the client presented. */
            certificates: string[];
            /** @description The client's id, in hexadecimal. */
            client: string;
            /**
             * Format: uint64
             * @description Number of separate locked ranges.
             */
            locks: number;
            /**
             * Format: uint64
             * @description Bytes of memory used for the client's state.
             */
            memory_bytes: number;
            /**
             * Format: uint64
             * @description Number of open files.
             */
            opens: number;
            /** @description The owner string that the client sends. */
            owner: string;
            /**
             * Format: uint64
             * @description Number of sessions.
             */
            sessions: number;
            /**
             * Format: uint64
             * @description Milliseconds since the last request from the client.
             */
            silent_ms: number;
            /** @description The client's state. */
            state: components["schemas"]["ClientState"];
            /** @description TLS on the client's connections. */
            tls: components["schemas"]["TlsState"];
        };
        /**
         * @description The reason for an error, as a stable code for programs.
         * @enum {string}
         */
        Code: "bad_request" | "invalid" | "token_missing" | "token_refused" | "role_insufficient" | "route_not_found" | "volume_not_found" | "snapshot_not_found" | "export_policy_not_found" | "export_rule_not_found" | "client_not_found" | "stateid_not_found" | "user_not_found" | "token_not_found" | "job_not_found" | "lab_report_not_found" | "not_found" | "method_not_allowed" | "request_timeout" | "already_exists" | "differs" | "in_use" | "volume_not_empty" | "size_below_used" | "permanent" | "last_admin" | "too_many" | "job_running" | "job_ended" | "body_too_large" | "media_type_unsupported" | "internal" | "unavailable" | "no_space";
        /**
         * @description Compression of new writes.
         * @enum {string}
         */
        Compression: "none" | "lz4" | "zstd";
        /** @description The storage used by the files of one volume, or of all volumes. */
        EfficiencyView: {
            /**
             * Format: uint64
             * @description Bytes saved by compression.
             */
            bytes_compressed: number;
            /**
             * Format: uint64
             * @description Bytes saved by deduplication.
             */
            bytes_deduplicated: number;
            /**
             * Format: uint64
             * @description Bytes of holes.
             */
            bytes_holes: number;
            /**
             * Format: uint64
             * @description The part of the stored bytes that is in the metadata store.
             */
            bytes_inline: number;
            /**
             * Format: uint64
             * @description Bytes of file data, holes excluded.
             */
            bytes_logical: number;
            /**
             * Format: uint64
             * @description Bytes stored.
             */
            bytes_physical: number;
            /**
             * Format: double
             * @description Ratio of logical to stored bytes.
             */
            ratio: number;
        };
        /** @description The body of every error response. */
        ErrorBody: {
            /** @description The error. */
            error: components["schemas"]["ErrorView"];
        };
        /** @description The reason for an error, and its remedy. */
        ErrorView: {
            /** @description The reason, as a stable code for programs. */
            code: components["schemas"]["Code"];
            /** @description The error in words: the object and the reason. */
            message: string;
            /** @description The object that the error concerns, such as `volume kafka`. */
            object?: string | null;
            /** @description The remedy. */
            remedy?: string | null;
            /** @description The id of the request, which the daemon's log also contains. */
            request_id?: string | null;
        };
        /** @description An event. */
        EventView: {
            /** @description The user's address, or `local` for the admin socket. */
            address?: string | null;
            /**
             * Format: uint64
             * @description Increases with every event, including across restarts.
             */
            id: number;
            /** @description The kind of event, such as `volume_created`. */
            kind: string;
            /** @description The event in a sentence. */
            message: string;
            /** @description The object it concerns, such as `volume kafka`. */
            object: string;
            /** @description The severity of the event. */
            severity: components["schemas"]["Severity"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            time: string;
            /** @description The user who caused it; null if the daemon did. */
            user?: string | null;
        };
        /** @description A file that is open. */
        FileView: {
            /**
             * Format: uint64
             * @description The inode number.
             */
            inode: number;
            /** @description The path from the server's root, if the file still has the name by which it was opened. */
            path?: string | null;
            /** @description The volume; null if it has been deleted. */
            volume?: string | null;
        };
        /**
         * @description The source of a caller's supplementary groups.
         * @enum {string}
         */
        Groups: "client" | "server";
        /**
         * @description The daemon's health.
         * @enum {string}
         */
        HealthStatus: "ok" | "degraded";
        /** @description The daemon's health. */
        HealthView: {
            /** @description The daemon's release. */
            release: string;
            /** @description The status. */
            status: components["schemas"]["HealthStatus"];
        };
        /** @description Points of one series. */
        HistorySeries: {
            /** @description The highest value in each point's interval; null where nothing was measured. */
            max: (number | null)[];
            /**
             * @description The mean over each point's interval; null where nothing was measured. For percentiles the maximum is
             *     more meaningful than the mean.
             */
            mean: (number | null)[];
            /** @description The series' name, such as `throughput/write`. */
            name: string;
            /** @description The unit of its values. */
            unit: components["schemas"]["Unit"];
        };
        /** @description Points of several series, all at the same times. */
        HistoryView: {
            /**
             * Format: uint64
             * @description Start of the first point's interval, in seconds since 1970.
             */
            from: number;
            /** @description The series, by name. */
            series: components["schemas"]["HistorySeries"][];
            /**
             * Format: uint64
             * @description Seconds between points.
             */
            step: number;
            /**
             * Format: uint64
             * @description End of the last point's interval, in seconds since 1970.
             */
            to: number;
        };
        /**
         * @description The kind of a job.
         * @enum {string}
         */
        JobKind: "pool_check";
        /**
         * @description The state of a job.
         * @enum {string}
         */
        JobState: "running" | "succeeded" | "failed" | "cancelled";
        /** @description A background job. */
        JobView: {
            /** @description The reason for the failure, and the remedy. */
            error?: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            finished?: string | null;
            /**
             * Format: uint64
             * @description The job's id, as in `jobs/{id}`.
             */
            id: number;
            /** @description The kind of the job. */
            kind: components["schemas"]["JobKind"];
            /** @description The job's progress. */
            progress: components["schemas"]["ProgressView"];
            result?: components["schemas"]["CheckView"] | null;
            /**
             * Format: date-time
             * @description When it started.
             */
            started: string;
            /** @description The job's state. */
            state: components["schemas"]["JobState"];
            /** @description The user who started it. */
            user: string;
        };
        /** @description Where to view a report's page. */
        LabPageView: {
            /**
             * Format: date-time
             * @description When the path expires.
             */
            expires: string;
            /** @description A path on this server that needs no token. Pages that this page links to are available there as well. */
            path: string;
        };
        /**
         * @description The scope of a report.
         * @enum {string}
         */
        LabReportKind: "run" | "all" | "comparison";
        /** @description A report. */
        LabReportView: {
            /** @description The experiment, if the report covers only one. */
            experiment?: string | null;
            /** @description The report's folder, relative to the directory of results; empty if it is in that directory itself. */
            folder: string;
            /** @description The report's id, as in `lab/reports/{id}`. It is derived from the report's place in the directory. */
            id: string;
            /** @description The scope of the report. */
            kind: components["schemas"]["LabReportKind"];
            /**
             * Format: uint64
             * @description The size of the page in bytes; null if there is no page.
             */
            page_bytes?: number | null;
            /** @description The problem with the report, if it has one. */
            problem?: string | null;
            /** @description The runs, one for each storage system. */
            runs: components["schemas"]["LabRunView"][];
            /**
             * Format: date-time
             * @description When the first run started. For a report without runs, or a damaged one, when it was written.
             */
            time: string;
        };
        /** @description A list of lab reports. */
        LabReportsView: {
            /** @description The directory that is searched for reports; null if none is configured (`lab.results_directory`). */
            directory?: string | null;
            /** @description The reports, newest first. */
            items: components["schemas"]["LabReportView"][];
            /** @description The reason why the list may be incomplete, and the remedy. */
            problem?: string | null;
            /**
             * Format: uint64
             * @description The total number of reports; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description One run of an experiment. */
        LabRunView: {
            /**
             * Format: uint64
             * @description Number of checks.
             */
            checks: number;
            /**
             * Format: uint64
             * @description Number of checks that passed.
             */
            checks_passed: number;
            /**
             * Format: uint64
             * @description The duration in milliseconds.
             */
            duration_ms: number;
            /** @description The profile, which sets the sizes. */
            profile: string;
            /**
             * Format: date-time
             * @description When it started.
             */
            started: string;
            /** @description The storage system; if the run compares several, their names separated by commas. */
            storage: string;
            /** @description The verdict. */
            verdict: components["schemas"]["LabVerdict"];
            /** @description Versions of the software that took part, by name. */
            versions: {
                [key: string]: string;
            };
            /** @description The reason for the verdict, in one or two sentences. */
            why: string;
        };
        /**
         * @description The verdict of an experiment.
         * @enum {string}
         */
        LabVerdict: "pass" | "fail";
        /** @description A list of objects. */
        List_ClientView: {
            /** @description The objects. */
            items: {
                /** @description The address it registered from. */
                address?: string | null;
                /** @description Subjects of the certificates that the client presented. */
                certificates: string[];
                /** @description The client's id, in hexadecimal. */
                client: string;
                /**
                 * Format: uint64
                 * @description Number of separate locked ranges.
                 */
                locks: number;
                /**
                 * Format: uint64
                 * @description Bytes of memory used for the client's state.
                 */
                memory_bytes: number;
                /**
                 * Format: uint64
                 * @description Number of open files.
                 */
                opens: number;
                /** @description The owner string that the client sends. */
                owner: string;
                /**
                 * Format: uint64
                 * @description Number of sessions.
                 */
                sessions: number;
                /**
                 * Format: uint64
                 * @description Milliseconds since the last request from the client.
                 */
                silent_ms: number;
                /** @description The client's state. */
                state: components["schemas"]["ClientState"];
                /** @description TLS on the client's connections. */
                tls: components["schemas"]["TlsState"];
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_EventView: {
            /** @description The objects. */
            items: {
                /** @description The user's address, or `local` for the admin socket. */
                address?: string | null;
                /**
                 * Format: uint64
                 * @description Increases with every event, including across restarts.
                 */
                id: number;
                /** @description The kind of event, such as `volume_created`. */
                kind: string;
                /** @description The event in a sentence. */
                message: string;
                /** @description The object it concerns, such as `volume kafka`. */
                object: string;
                /** @description The severity of the event. */
                severity: components["schemas"]["Severity"];
                /**
                 * Format: date-time
                 * @description When it happened.
                 */
                time: string;
                /** @description The user who caused it; null if the daemon did. */
                user?: string | null;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_JobView: {
            /** @description The objects. */
            items: {
                /** @description The reason for the failure, and the remedy. */
                error?: string | null;
                /**
                 * Format: date-time
                 * @description When it ended.
                 */
                finished?: string | null;
                /**
                 * Format: uint64
                 * @description The job's id, as in `jobs/{id}`.
                 */
                id: number;
                /** @description The kind of the job. */
                kind: components["schemas"]["JobKind"];
                /** @description The job's progress. */
                progress: components["schemas"]["ProgressView"];
                result?: components["schemas"]["CheckView"] | null;
                /**
                 * Format: date-time
                 * @description When it started.
                 */
                started: string;
                /** @description The job's state. */
                state: components["schemas"]["JobState"];
                /** @description The user who started it. */
                user: string;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_LockView: {
            /** @description The objects. */
            items: (components["schemas"]["FileView"] & {
                /** @description The client's id. */
                client: string;
                /** @description The kind of the lock: the access that it denies to other owners. */
                kind: components["schemas"]["LockKind"];
                /**
                 * Format: uint64
                 * @description The number of locked bytes; null means to the end of the file, whatever its size.
                 */
                length?: number | null;
                /**
                 * Format: uint64
                 * @description The first locked byte.
                 */
                offset: number;
                /** @description The id of the owner's locks on the file, as in `nfs/opens/{stateid}`. */
                stateid: string;
            })[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_LostSegmentView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: uint64
                 * @description Size in bytes.
                 */
                bytes: number;
                /**
                 * @description The segment's number, 16 hexadecimal digits. Its file is NUMBER.seg in the directory
                 *     `segments/lost+found`.
                 */
                segment: string;
                /**
                 * Format: uint64
                 * @description The start of the daemon, counted from the pool's creation, in which the segment was written.
                 */
                start: number;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_OpenView: {
            /** @description The objects. */
            items: (components["schemas"]["FileView"] & {
                /** @description The access it allows: `r`, `w` or `rw`. */
                access: string;
                /** @description The client's id. */
                client: string;
                /** @description The access it denies to others: empty, `r`, `w` or `rw`. */
                deny: string;
                /** @description The id of the open, as in `nfs/opens/{stateid}`. */
                stateid: string;
            })[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_OperationView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: uint64
                 * @description Number of executions since the daemon started.
                 */
                count: number;
                /**
                 * Format: uint64
                 * @description Number of failures.
                 */
                errors: number;
                /** @description Failures by status. */
                errors_by_status: {
                    [key: string]: number;
                };
                /** @description The operation's name, as in RFC 8881. */
                operation: string;
                /**
                 * Format: uint64
                 * @description Median duration in nanoseconds.
                 */
                p50_ns: number;
                /**
                 * Format: uint64
                 * @description 99th percentile of the duration in nanoseconds.
                 */
                p99_ns: number;
                /**
                 * Format: uint64
                 * @description Total time they waited, in nanoseconds.
                 */
                waited_ns: number;
                /**
                 * Format: uint64
                 * @description Number of executions that first waited for a volume's limit.
                 */
                waits: number;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_PolicyView: {
            /** @description The objects. */
            items: {
                /** @description The policy's name. */
                name: string;
                /** @description The policy's rules; the first one that matches a client applies. */
                rules: components["schemas"]["RuleView"][];
                /** @description The volumes that use the policy. */
                volumes: string[];
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_SessionView: {
            /** @description The objects. */
            items: {
                /** @description Whether the client answers callbacks. */
                back_channel: components["schemas"]["BackChannel"];
                /** @description The client's id. */
                client: string;
                /** @description Client addresses of the session's connections. */
                connections: string[];
                /**
                 * Format: uint32
                 * @description Maximum size of a request in bytes.
                 */
                request_bytes_max: number;
                /** @description The session's id, in hexadecimal. */
                session: string;
                /**
                 * Format: uint32
                 * @description Maximum number of requests in progress.
                 */
                slots: number;
                /**
                 * Format: uint64
                 * @description Number of requests in progress.
                 */
                slots_in_work: number;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_SnapshotView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: uint64
                 * @description Bytes of file data, holes excluded.
                 */
                bytes_logical: number;
                /** @description Volumes that are clones of the snapshot. */
                clones: string[];
                /**
                 * Format: date-time
                 * @description When it was taken.
                 */
                created: string;
                /** @description The snapshot's name. */
                name: string;
                /** @description `hourly`, `daily` or `weekly` for a scheduled snapshot. */
                period?: string | null;
                /** @description The volume that it belongs to. */
                volume: string;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_TokenView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                created: string;
                /** @description The purpose of the token. */
                description: string;
                /**
                 * Format: date-time
                 * @description When it expires; null means never.
                 */
                expires?: string | null;
                /** @description The token's id. */
                id: string;
                /**
                 * Format: date-time
                 * @description When it was last used since the daemon started.
                 */
                last_used?: string | null;
                /** @description The user that the token belongs to. */
                user: string;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_UserView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: date-time
                 * @description When the user was created.
                 */
                created: string;
                /** @description The user's name. */
                name: string;
                /** @description The user's role. */
                role: components["schemas"]["Role"];
                /**
                 * Format: uint64
                 * @description Number of tokens the user has.
                 */
                tokens: number;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_VolumeView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: uint64
                 * @description Bytes that can still be written to the volume.
                 */
                bytes_free: number;
                /**
                 * Format: uint64
                 * @description Bytes of file data, holes excluded.
                 */
                bytes_logical: number;
                /** @description The snapshot that the volume was cloned from, as VOLUME@SNAPSHOT. */
                clone_of?: string | null;
                /** @description Compression of new writes. */
                compression: components["schemas"]["Compression"];
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                created: string;
                /** @description The export policy. */
                export: string;
                /**
                 * Format: uint32
                 * @description Current group of the root directory.
                 */
                gid: number;
                /** @description The volume's id, in hexadecimal. It is never reused. In paths, `id:` and this id can replace the name. */
                id: string;
                /**
                 * Format: uint64
                 * @description Number of inodes, including the root directory and deleted files that are still open.
                 */
                inodes_used: number;
                /**
                 * Format: uint64
                 * @description Maximum bytes per second that clients may read and write, if limited.
                 */
                max_bytes_per_second?: number | null;
                /** @description Current permission bits of the root directory, in octal. */
                mode: string;
                /** @description The volume's name. */
                name: string;
                /**
                 * Format: uint64
                 * @description Number of deleted files that are still open.
                 */
                orphans: number;
                /** @description The path that clients mount (junction path). */
                path: string;
                /** @description Whether the server promises clients that open files survive their unlink. */
                preserve_unlink: boolean;
                /**
                 * Format: uint64
                 * @description Maximum size in bytes, if limited.
                 */
                size?: number | null;
                /** @description Snapshot schedule and retention. */
                snapshots: components["schemas"]["Plan"];
                /**
                 * Format: uint32
                 * @description Current owner of the root directory.
                 */
                uid: number;
                waits?: components["schemas"]["WaitsView"] | null;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /**
         * @description The kind of a lock: the access that it denies to other owners.
         * @enum {string}
         */
        LockKind: "read" | "write";
        /** @description A byte-range lock. */
        LockView: components["schemas"]["FileView"] & {
            /** @description The client's id. */
            client: string;
            /** @description The kind of the lock: the access that it denies to other owners. */
            kind: components["schemas"]["LockKind"];
            /**
             * Format: uint64
             * @description The number of locked bytes; null means to the end of the file, whatever its size.
             */
            length?: number | null;
            /**
             * Format: uint64
             * @description The first locked byte.
             */
            offset: number;
            /** @description The id of the owner's locks on the file, as in `nfs/opens/{stateid}`. */
            stateid: string;
        };
        /** @description A segment that is unknown to the metadata. */
        LostSegmentView: {
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            bytes: number;
            /**
             * @description The segment's number, 16 hexadecimal digits. Its file is NUMBER.seg in the directory
             *     `segments/lost+found`.
             */
            segment: string;
            /**
             * Format: uint64
             * @description The start of the daemon, counted from the pool's creation, in which the segment was written.
             */
            start: number;
        };
        /** @description A clone to create of a volume's current state. A snapshot `clone-NAME` of the volume is taken for it. */
        NewClone: {
            /** @description The export policy; default that of the source volume. */
            export?: string;
            /** @description The clone's name. */
            name: string;
            /** @description The path that clients mount; default `/` and the clone's name. */
            path?: string;
        };
        /** @description A policy to create. */
        NewPolicy: {
            /** @description The policy's name. */
            name: string;
            /** @description The policy's rules. Without rules, no client sees a volume that uses the policy. */
            rules?: components["schemas"]["NewRule"][];
        };
        /** @description A rule to create. Fields that are absent take their defaults. */
        NewRule: {
            /** @description The clients' access; default rw. */
            access?: components["schemas"]["Access"];
            /**
             * Format: uint32
             * @description The anonymous user's group; default 65534.
             */
            anonymous_gid?: number;
            /**
             * Format: uint32
             * @description The anonymous user; default 65534.
             */
            anonymous_uid?: number;
            /** @description The clients it applies to: `*`, an address, a network such as 10.0.0.0/8, or a host name. */
            clients: string;
            /** @description The source of a caller's supplementary groups; default client. */
            groups?: components["schemas"]["Groups"];
            /** @description How callers identify themselves; default sys. */
            security?: components["schemas"]["Security"];
            /** @description The clients' users that the server maps to the anonymous user; default none. */
            squash?: components["schemas"]["Squash"];
            /** @description Whether connections must use TLS; default optional. */
            tls?: components["schemas"]["TlsUse"];
        };
        /** @description A snapshot to take of one volume. */
        NewSnapshot: {
            /** @description The snapshot's name. */
            name: string;
        };
        /** @description Snapshots to take of several volumes at the same instant. */
        NewSnapshots: {
            /** @description The name of each snapshot. */
            name: string;
            /** @description The volumes' names. */
            volumes: string[];
        };
        /** @description A token to create. Without `expires_in` and `expires` it does not expire. */
        NewToken: {
            /** @description The purpose of the token. */
            description?: string;
            /**
             * Format: date-time
             * @description When it expires, in UTC. Cannot be combined with `expires_in`.
             */
            expires?: string;
            /**
             * Format: uint64
             * @description Lifetime in seconds.
             */
            expires_in?: number;
            /** @description The user that the token belongs to. */
            user: string;
        };
        /** @description A volume to create. Fields that are absent, except the name, take their defaults. */
        NewVolume: {
            /** @description Compression of new writes; default lz4. */
            compression?: components["schemas"]["Compression"];
            /** @description The export policy, which sets the clients' access; default `default`. */
            export?: string;
            /**
             * Format: uint32
             * @description Group of the root directory; default 0.
             */
            gid?: number;
            /**
             * Format: uint64
             * @description Maximum bytes per second that clients may read and write; null means no limit.
             */
            max_bytes_per_second?: number | null;
            /** @description Permission bits of the root directory, in octal; default 0755. */
            mode?: string;
            /** @description The volume's name. */
            name: string;
            /** @description The path that clients mount; default `/` and the volume's name. */
            path?: string;
            /** @description Whether the server promises clients that open files survive their unlink; default true. */
            preserve_unlink?: boolean;
            /**
             * Format: uint64
             * @description Maximum size in bytes; null means no limit but the pool's.
             */
            size?: number | null;
            /** @description Snapshot schedule and retention. */
            snapshots?: components["schemas"]["Plan"];
            /**
             * Format: uint32
             * @description Owner of the root directory; default 0.
             */
            uid?: number;
        };
        /** @description Where clients reach the NFS server, and how to mount from it. */
        NfsView: {
            /** @description The address that the server listens on. */
            address: string;
            /** @description Whether the server listens on all addresses of its machine. */
            every_address: boolean;
            /**
             * @description The server's name in a mount command: the address that it listens on, or the machine's host name if it
             *     listens on all.
             */
            host: string;
            /** @description The options of a mount command: `mount -t nfs -o OPTIONS HOST:PATH DIRECTORY`. */
            options: string;
            /**
             * Format: uint32
             * @description The port.
             */
            port: number;
            /** @description Whether TLS is offered. */
            tls: boolean;
        };
        /** @description An open file of a client. */
        OpenView: components["schemas"]["FileView"] & {
            /** @description The access it allows: `r`, `w` or `rw`. */
            access: string;
            /** @description The client's id. */
            client: string;
            /** @description The access it denies to others: empty, `r`, `w` or `rw`. */
            deny: string;
            /** @description The id of the open, as in `nfs/opens/{stateid}`. */
            stateid: string;
        };
        /** @description Counters of one operation. */
        OperationView: {
            /**
             * Format: uint64
             * @description Number of executions since the daemon started.
             */
            count: number;
            /**
             * Format: uint64
             * @description Number of failures.
             */
            errors: number;
            /** @description Failures by status. */
            errors_by_status: {
                [key: string]: number;
            };
            /** @description The operation's name, as in RFC 8881. */
            operation: string;
            /**
             * Format: uint64
             * @description Median duration in nanoseconds.
             */
            p50_ns: number;
            /**
             * Format: uint64
             * @description 99th percentile of the duration in nanoseconds.
             */
            p99_ns: number;
            /**
             * Format: uint64
             * @description Total time they waited, in nanoseconds.
             */
            waited_ns: number;
            /**
             * Format: uint64
             * @description Number of executions that first waited for a volume's limit.
             */
            waits: number;
        };
        /** @description Snapshot schedule: the number of snapshots to keep for each period. */
        Plan: {
            /**
             * Format: uint32
             * @description Snapshots taken at midnight, UTC.
             */
            daily?: number;
            /**
             * Format: uint32
             * @description Snapshots taken at each full hour.
             */
            hourly?: number;
            /**
             * Format: uint32
             * @description Snapshots taken at midnight before Sunday, UTC.
             */
            weekly?: number;
        };
        /** @description All rules of a policy. */
        PolicyRules: {
            /** @description The rules; the first one that matches a client applies. */
            rules: components["schemas"]["NewRule"][];
        };
        /** @description A policy. */
        PolicyView: {
            /** @description The policy's name. */
            name: string;
            /** @description The policy's rules; the first one that matches a client applies. */
            rules: components["schemas"]["RuleView"][];
            /** @description The volumes that use the policy. */
            volumes: string[];
        };
        /** @description The pool. */
        PoolView: {
            /**
             * Format: uint64
             * @description Number of times the pool has been opened.
             */
            boot: number;
            /**
             * Format: uint64
             * @description Bytes of unreferenced frames; the cleaner reclaims them.
             */
            bytes_dead: number;
            /**
             * Format: uint64
             * @description Bytes that can still be written.
             */
            bytes_free: number;
            /**
             * Format: uint64
             * @description Bytes of file tails in the metadata store.
             */
            bytes_inline: number;
            /**
             * Format: uint64
             * @description Bytes of referenced frames.
             */
            bytes_live: number;
            /**
             * Format: uint64
             * @description Bytes of file data, holes excluded.
             */
            bytes_logical: number;
            /**
             * Format: uint64
             * @description Capacity in bytes.
             */
            bytes_total: number;
            /** @description The pool's directory. */
            directory: string;
            /** @description The pool's id, in hexadecimal. */
            id: string;
            /**
             * Format: uint64
             * @description Number of inodes, including deleted files that are still open.
             */
            inodes_used: number;
            /**
             * Format: uint64
             * @description Bytes of these segments.
             */
            lost_found_bytes: number;
            /**
             * Format: uint64
             * @description Number of segments in `lost+found`, which are unknown to the metadata.
             */
            lost_found_segments: number;
            /**
             * Format: uint64
             * @description Number of deleted files that are still open.
             */
            orphans: number;
            /** @description The daemon's release. */
            release: string;
            /** @description The state of the scrub. */
            scrub: components["schemas"]["ScrubView"];
            /**
             * Format: uint64
             * @description Number of segments.
             */
            segments: number;
            /**
             * Format: uint64
             * @description Number of segments that hold data and are missing; their data cannot be read.
             */
            segments_missing: number;
            /**
             * Format: uint64
             * @description Number of volumes.
             */
            volumes: number;
        };
        /**
         * @description The unit of a job's progress.
         * @enum {string}
         */
        ProgressUnit: "chunks" | "bytes";
        /** @description The progress of a job. */
        ProgressView: {
            /**
             * Format: uint64
             * @description The work that is done.
             */
            done: number;
            /**
             * Format: uint64
             * @description The total work as far as it is known; 0 until then.
             */
            total: number;
            /** @description The unit of both numbers. */
            unit: components["schemas"]["ProgressUnit"];
        };
        /**
         * @description The rights of a user. Each role includes the rights of the roles before it.
         * @enum {string}
         */
        Role: "read-only" | "operator" | "admin";
        /** @description The options of a rollback. */
        Rollback: {
            /** @description Whether to delete newer snapshots. */
            force?: boolean;
        };
        /** @description Changes to a rule. Fields that are absent stay unchanged. */
        RuleChange: {
            /** @description The clients' access. */
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
            /** @description The source of a caller's supplementary groups. */
            groups?: components["schemas"]["Groups"];
            /** @description The clients' users that the server maps to the anonymous user. */
            squash?: components["schemas"]["Squash"];
            /** @description Whether connections must use TLS. */
            tls?: components["schemas"]["TlsUse"];
        };
        /** @description A rule. */
        RuleView: {
            /** @description The clients' access. */
            access: components["schemas"]["Access"];
            /**
             * @description The current addresses of a host name; null for other kinds of clients, and until the name has been
             *     resolved.
             */
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
            /** @description The clients it applies to. */
            clients: string;
            /** @description The source of a caller's supplementary groups. */
            groups: components["schemas"]["Groups"];
            /** @description How callers identify themselves. */
            security: components["schemas"]["Security"];
            /** @description The clients' users that the server maps to the anonymous user. */
            squash: components["schemas"]["Squash"];
            /** @description Whether connections must use TLS. */
            tls: components["schemas"]["TlsUse"];
        };
        /** @description The state of the scrub. */
        ScrubView: {
            /**
             * Format: uint64
             * @description Bytes of frames verified by this scrub.
             */
            bytes: number;
            /**
             * Format: uint64
             * @description Bytes of all referenced frames.
             */
            bytes_total: number;
            /**
             * Format: uint64
             * @description Number of copies the pool keeps.
             */
            copies: number;
            /** @description Descriptions of the first damaged frames, segments and gaps. */
            damage: string[];
            /**
             * Format: uint64
             * @description Number of frames damaged in every copy, segment headers that could not be repaired, and gaps in the
             *     metadata.
             */
            damaged: number;
            /** @description Whether a copy is missing. */
            degraded: boolean;
            /**
             * Format: date-time
             * @description When the last scrub finished, not counting stopped ones.
             */
            finished?: string | null;
            /**
             * Format: uint64
             * @description Number of frames verified by this scrub.
             */
            frames: number;
            /**
             * Format: uint64
             * @description Number of frames and segments restored from the other copy.
             */
            repaired: number;
            /** @description Whether a scrub is running. */
            running: boolean;
            /**
             * Format: date-time
             * @description When the last scrub started.
             */
            started?: string | null;
        };
        /**
         * @description How callers identify themselves.
         * @enum {string}
         */
        Security: "sys";
        /** @description A session. */
        SessionView: {
            /** @description Whether the client answers callbacks. */
            back_channel: components["schemas"]["BackChannel"];
            /** @description The client's id. */
            client: string;
            /** @description Client addresses of the session's connections. */
            connections: string[];
            /**
             * Format: uint32
             * @description Maximum size of a request in bytes.
             */
            request_bytes_max: number;
            /** @description The session's id, in hexadecimal. */
            session: string;
            /**
             * Format: uint32
             * @description Maximum number of requests in progress.
             */
            slots: number;
            /**
             * Format: uint64
             * @description Number of requests in progress.
             */
            slots_in_work: number;
        };
        /** @description The settings of a user. */
        SetUser: {
            /** @description The user's role. */
            role: components["schemas"]["Role"];
        };
        /**
         * @description The severity of an event.
         * @enum {string}
         */
        Severity: "info" | "warning" | "error";
        /** @description A snapshot. */
        SnapshotView: {
            /**
             * Format: uint64
             * @description Bytes of file data, holes excluded.
             */
            bytes_logical: number;
            /** @description Volumes that are clones of the snapshot. */
            clones: string[];
            /**
             * Format: date-time
             * @description When it was taken.
             */
            created: string;
            /** @description The snapshot's name. */
            name: string;
            /** @description `hourly`, `daily` or `weekly` for a scheduled snapshot. */
            period?: string | null;
            /** @description The volume that it belongs to. */
            volume: string;
        };
        /**
         * @description Which users are mapped to the anonymous user.
         * @enum {string}
         */
        Squash: "none" | "root" | "all";
        /**
         * @description TLS on the connections of a client.
         * @enum {string}
         */
        TlsState: "off" | "partly" | "on" | "mutual";
        /**
         * @description Whether connections must use TLS (RFC 9289).
         * @enum {string}
         */
        TlsUse: "off" | "optional" | "required" | "mutual";
        /** @description A newly created token. */
        TokenCreated: {
            /** @description The value for the header `Authorization: Bearer …`. It cannot be retrieved again. */
            secret: string;
            /** @description The token's properties. */
            token: components["schemas"]["TokenView"];
        };
        /** @description A token, without its secret. */
        TokenView: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            created: string;
            /** @description The purpose of the token. */
            description: string;
            /**
             * Format: date-time
             * @description When it expires; null means never.
             */
            expires?: string | null;
            /** @description The token's id. */
            id: string;
            /**
             * Format: date-time
             * @description When it was last used since the daemon started.
             */
            last_used?: string | null;
            /** @description The user that the token belongs to. */
            user: string;
        };
        /**
         * @description The unit of a series' values.
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
            /** @description The user's role. */
            role: components["schemas"]["Role"];
            /**
             * Format: uint64
             * @description Number of tokens the user has.
             */
            tokens: number;
        };
        /** @description Changes to a volume. Fields that are absent stay unchanged; null removes a limit. */
        VolumeEdit: {
            /** @description Compression of new writes. */
            compression?: components["schemas"]["Compression"];
            /** @description The export policy, which sets the clients' access. */
            export?: string;
            /**
             * Format: uint32
             * @description Group of the root directory.
             */
            gid?: number;
            /**
             * Format: uint64
             * @description Maximum bytes per second that clients may read and write; null means no limit.
             */
            max_bytes_per_second?: number | null;
            /** @description Permission bits of the root directory, in octal. */
            mode?: string;
            /** @description The path that clients mount. Existing mounts keep working. */
            path?: string;
            /** @description Whether the server promises clients that open files survive their unlink. Applies to files opened from now on. */
            preserve_unlink?: boolean;
            /**
             * Format: uint64
             * @description Maximum size in bytes; null means no limit but the pool's.
             */
            size?: number | null;
            /** @description Snapshot schedule and retention. */
            snapshots?: components["schemas"]["Plan"];
            /**
             * Format: uint32
             * @description Owner of the root directory.
             */
            uid?: number;
        };
        /** @description The settings of a new volume. Fields that are absent take their defaults. */
        VolumeSettings: {
            /** @description Compression of new writes; default lz4. */
            compression?: components["schemas"]["Compression"];
            /** @description The export policy, which sets the clients' access; default `default`. */
            export?: string;
            /**
             * Format: uint32
             * @description Group of the root directory; default 0.
             */
            gid?: number;
            /**
             * Format: uint64
             * @description Maximum bytes per second that clients may read and write; null means no limit.
             */
            max_bytes_per_second?: number | null;
            /** @description Permission bits of the root directory, in octal; default 0755. */
            mode?: string;
            /** @description The path that clients mount; default `/` and the volume's name. */
            path?: string;
            /** @description Whether the server promises clients that open files survive their unlink; default true. */
            preserve_unlink?: boolean;
            /**
             * Format: uint64
             * @description Maximum size in bytes; null means no limit but the pool's.
             */
            size?: number | null;
            /** @description Snapshot schedule and retention. */
            snapshots?: components["schemas"]["Plan"];
            /**
             * Format: uint32
             * @description Owner of the root directory; default 0.
             */
            uid?: number;
        };
        /** @description A volume. */
        VolumeView: {
            /**
             * Format: uint64
             * @description Bytes that can still be written to the volume.
             */
            bytes_free: number;
            /**
             * Format: uint64
             * @description Bytes of file data, holes excluded.
             */
            bytes_logical: number;
            /** @description The snapshot that the volume was cloned from, as VOLUME@SNAPSHOT. */
            clone_of?: string | null;
            /** @description Compression of new writes. */
            compression: components["schemas"]["Compression"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created: string;
            /** @description The export policy. */
            export: string;
            /**
             * Format: uint32
             * @description Current group of the root directory.
             */
            gid: number;
            /** @description The volume's id, in hexadecimal. It is never reused. In paths, `id:` and this id can replace the name. */
            id: string;
            /**
             * Format: uint64
             * @description Number of inodes, including the root directory and deleted files that are still open.
             */
            inodes_used: number;
            /**
             * Format: uint64
             * @description Maximum bytes per second that clients may read and write, if limited.
             */
            max_bytes_per_second?: number | null;
            /** @description Current permission bits of the root directory, in octal. */
            mode: string;
            /** @description The volume's name. */
            name: string;
            /**
             * Format: uint64
             * @description Number of deleted files that are still open.
             */
            orphans: number;
            /** @description The path that clients mount (junction path). */
            path: string;
            /** @description Whether the server promises clients that open files survive their unlink. */
            preserve_unlink: boolean;
            /**
             * Format: uint64
             * @description Maximum size in bytes, if limited.
             */
            size?: number | null;
            /** @description Snapshot schedule and retention. */
            snapshots: components["schemas"]["Plan"];
            /**
             * Format: uint32
             * @description Current owner of the root directory.
             */
            uid: number;
            waits?: components["schemas"]["WaitsView"] | null;
        };
        /** @description Requests delayed by a volume's throughput limit. */
        WaitsView: {
            /**
             * Format: uint64
             * @description Number of delayed requests.
             */
            requests: number;
            /**
             * Format: uint64
             * @description Number of requests that were asked to retry later, because the wait would have been too long.
             */
            turned_away: number;
            /**
             * Format: uint64
             * @description Total time they waited, in milliseconds.
             */
            waited_ms: number;
        };
        /** @description The caller. */
        WhoView: {
            /** @description The user's role. */
            role: components["schemas"]["Role"];
            /** @description The user's name; `local` for callers on the admin socket. */
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
                /** @description Return the first events after the one with this id. Without it, the latest events are returned. */
                after?: number;
                /** @description Minimum severity. */
                severity?: components["schemas"]["Severity"];
                /** @description Maximum number of events; default 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_EventView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description All export policies */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_PolicyView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name is already in use, or two rules are for the same clients */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The policy was created */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The policy was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A volume uses the policy */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description The position, counted from 1; default last. */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The policy already has a rule for these clients */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /**
                 * @description Refuse unless the rule at this position is for exactly these clients, since another caller may have
                 *     inserted a rule before it.
                 */
                clients?: string;
            };
            header?: never;
            path: {
                /** @description The policy's name. */
                policy: string;
                /** @description The rule's position, counted from 1. */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /**
                 * @description Refuse unless the rule at this position is for exactly these clients, since another caller may have
                 *     inserted a rule before it.
                 */
                clients?: string;
            };
            header?: never;
            path: {
                /** @description The policy's name. */
                policy: string;
                /** @description The rule's position, counted from 1. */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The daemon's health */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthView"];
                };
            };
            /** @description The path, the query or the body is invalid */
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
            /** @description The jobs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_JobView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description Cancellation was requested */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The job has already finished */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description Maximum number of reports; default 500, the most there can be. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reports */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabReportsView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The temporary path */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabPageView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                 * @description Prefixes of series names, separated by commas: `throughput/` or `latency/write/p99,volume/kafka/`.
                 *     Default: all series.
                 */
                series?: string;
                /** @description Start time, in seconds since 1970. Default: an hour before `to`. */
                from?: number;
                /** @description End time, in seconds since 1970. Default: now. */
                to?: number;
                /**
                 * @description Seconds between points, rounded up to a multiple of 5 for the last hour, of 60 for the last day, and
                 *     of 900 for older times. Default: a step that gives up to 1,500 points.
                 */
                step?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The history */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The address and the mount options */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NfsView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description All clients */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_ClientView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The state was revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description Return only entries of this client. */
                client?: string;
                /** @description Maximum number of entries, oldest first; default 10000. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The locks, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_LockView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The client does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description Return only entries of this client. */
                client?: string;
                /** @description Maximum number of entries, oldest first; default 10000. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The open files, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_OpenView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The client does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The open or the locks were revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description All operations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_OperationView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description All sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SessionView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The OpenAPI 3.1 document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The path, the query or the body is invalid */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The check has started */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A check is already running */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description Restrict the result to this volume: its name, or `id:` and its id. */
                volume?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The savings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EfficiencyView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The volume does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The segment was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The segment does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The state of the scrub */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScrubView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The scrub has started */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScrubView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The state of the scrub */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScrubView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description Restrict the result to this volume: its name, or `id:` and its id. */
                volume?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshots */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SnapshotView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The volume does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The volume does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description A volume already has a snapshot of that name */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description All tokens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_TokenView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The user does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The maximum number of tokens is reached */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The token was revoked */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description All users */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_UserView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The user was created */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The maximum number of users is reached, or the user is the last one with the role admin */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The user was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The user is the last one with the role admin */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description All volumes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_VolumeView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The export policy does not exist */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name or the path is already in use */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The volume already exists with these settings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The volume was created */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The volume exists with different settings, or the path is already in use */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description Proceed even if data is lost. Requires the role admin. */
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
            /** @description The volume was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The volume has files, snapshots or clones */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The changed volume */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The path is already in use, or the volume holds more data than the new size */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name or the path is already in use */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The snapshots */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SnapshotView"];
                };
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The volume already has a snapshot of that name */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description The snapshot's name. */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description The snapshot's name. */
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot already exists */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotView"];
                };
            };
            /** @description The snapshot was taken */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Another caller is taking a snapshot of that name */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description The snapshot's name. */
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot was deleted */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The snapshot has clones */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description The snapshot's name. */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name or the path is already in use */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
                /** @description The snapshot's name. */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description There are newer snapshots */
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
            /** @description The content type of the body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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
            /** @description The path, the query or the body is invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The token is missing or invalid */
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
            /** @description The request failed; the daemon's log says why */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The pool has stopped, or the daemon is shutting down */
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

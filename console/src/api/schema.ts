// Made from docs/reference/openapi.json by `npm run types`; not to be edited.

export interface paths {
    "/api/v1/alert-targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the targets of alert notices
         * @description The targets come from the file in `alerts.targets`. Their secrets are not returned.
         */
        get: operations["target_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alert-targets/{target}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test notice to a target
         * @description The response is sent when the target has accepted the notice or has failed, within 30 seconds.
         */
        post: operations["target_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description Alerts that fire, the most severe first, then the last hundred resolved alerts, the latest first.
         */
        get: operations["alert_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/alerts/{alert}/acknowledgement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Acknowledge an alert that fires
         * @description Its notices are not repeated until it is resolved. The alert still affects the daemon's status.
         */
        put: operations["alert_acknowledge"];
        post?: never;
        /** Withdraw an acknowledgement */
        delete: operations["alert_unacknowledge"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/buckets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List buckets, by name
         * @description `total` counts the buckets with the prefix, on all pages.
         */
        get: operations["bucket_list"];
        put?: never;
        /** Create a bucket */
        post: operations["bucket_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/buckets/{bucket}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a bucket */
        get: operations["bucket_show"];
        put?: never;
        post?: never;
        /**
         * Delete a bucket
         * @description Refused if it has objects or older versions, unless `force` is given. With object lock such a bucket cannot be
         *     deleted at all. Uploads in progress are aborted. The space is freed in the background.
         */
        delete: operations["bucket_delete"];
        options?: never;
        head?: never;
        /**
         * Change a bucket
         * @description Either all changes are made or none. Fields that are absent stay unchanged; null removes a limit or a setting.
         */
        patch: operations["bucket_change"];
        trace?: never;
    };
    "/api/v1/buckets/{bucket}/cors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the rules for cross-origin requests of a bucket */
        get: operations["bucket_cors_show"];
        /**
         * Replace the rules for cross-origin requests of a bucket
         * @description An error names the invalid rule. The request is idempotent.
         */
        put: operations["bucket_cors_put"];
        post?: never;
        /** Delete the rules for cross-origin requests of a bucket */
        delete: operations["bucket_cors_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/buckets/{bucket}/efficiency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Calculate the storage efficiency of a bucket now
         * @description Scans every extent of the bucket, which takes some time. One such request is processed at a time.
         */
        get: operations["bucket_efficiency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/buckets/{bucket}/lifecycle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the lifecycle rules of a bucket */
        get: operations["bucket_lifecycle_show"];
        /**
         * Replace the lifecycle rules of a bucket
         * @description The rules delete objects, so this requires the role admin. An error names the invalid rule. The request
         *     is idempotent.
         */
        put: operations["bucket_lifecycle_put"];
        post?: never;
        /** Delete the lifecycle rules of a bucket */
        delete: operations["bucket_lifecycle_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/buckets/{bucket}/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the objects of a bucket, by key
         * @description Returns current versions only. To continue, repeat the request with `next` as `after`.
         */
        get: operations["object_list"];
        put?: never;
        /**
         * Create an object from a file in a volume
         * @description The object shares the file's bytes, so no data is moved and no space is needed. The copy is verified before the object exists, and
         *     is refused if the file is changed meanwhile. Requires the role admin, since the call can make any file readable over S3.
         */
        post: operations["object_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/buckets/{bucket}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the policy of a bucket, unchanged */
        get: operations["bucket_policy_show"];
        /**
         * Replace the policy of a bucket
         * @description The document is in the policy language of AWS. It must name principals, and no other bucket. An error names the
         *     invalid statement. The request is idempotent.
         */
        put: operations["bucket_policy_put"];
        post?: never;
        /** Delete the policy of a bucket */
        delete: operations["bucket_policy_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/buckets/{bucket}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions and delete markers of a bucket, by key, the newest first
         * @description To continue, repeat the request with `next` as `after` and `next_version` as `after_version`.
         */
        get: operations["version_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/capacity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the daily space of the pool or a volume for the last year, with a forecast */
        get: operations["capacity_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the pools of the database
         * @description Shows each pool of the database in which the daemon's pool lies, the node that serves it, and the nodes that wait for it. The daemon looks at
         *     the database every two seconds.
         */
        get: operations["cluster_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move the pool to a node
         * @description The daemon closes the pool and stops, and the node takes the pool within about a second. If it does not do so within five seconds, any
         *     waiting node may take it. Refused if the node does not wait for the pool.
         */
        post: operations["cluster_move"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release the pool
         * @description The daemon closes the pool and stops, and does not take the pool again for ten seconds. Any waiting node takes it within about a second. Refused if no
         *     node waits, unless `force` is set.
         */
        post: operations["cluster_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the effective settings of the daemon
         * @description The values from the configuration file, the environment and the command line, and the defaults of all other
         *     settings. None of them is secret: secrets are in files that settings name.
         */
        get: operations["config_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deleted-volumes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the deleted volumes that can be recovered, by name */
        get: operations["deleted_volume_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deleted-volumes/{volume}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a deleted volume */
        get: operations["deleted_volume_show"];
        put?: never;
        post?: never;
        /**
         * Purge a deleted volume
         * @description The volume can no longer be recovered, and its space is freed in the background. Refused while one of its snapshots is locked.
         */
        delete: operations["deleted_volume_purge"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/deleted-volumes/{volume}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recover a deleted volume
         * @description The volume is restored with its snapshots and its export policy. Clients that still have it mounted can use it again.
         */
        post: operations["deleted_volume_recover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events, oldest first
         * @description The daemon keeps the last 2000 events, also across restarts. Its log has all of them.
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
        /**
         * Rename an export policy
         * @description Volumes that use it follow, and clients are not interrupted. The policy `default` cannot be renamed.
         */
        patch: operations["policy_change"];
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
         * @description Needs no token, so it names the rules whose alerts fire, with causes and remedies, and no volumes or clients: `status` and `alerts`
         *     do. Answers 503 with the same body if the pool has stopped or is closed, which takes no changes until the daemon is started again.
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
    "/api/v1/kafka/cleanup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List directories of Kafka that could go
         * @description Directories of deleted replicas that brokers did not remove, directories that the cluster's metadata do not have, and log directories that
         *     no broker uses. Nothing is deleted: only Kafka or its operator knows whether they are still wanted.
         */
        get: operations["kafka_cleanup_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Kafka clusters of the pool, and everything that the pool stores in rows that add up
         * @description A cluster is recognised by the file `meta.properties` in the log directories of its brokers. The response is made from the last
         *     report, and says how old that is.
         */
        get: operations["kafka_cluster_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters/{cluster}/brokers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the brokers of a cluster
         * @description There is a row for each log directory. The client that holds its `.lock` is looked up now; all else is from the last report.
         */
        get: operations["kafka_broker_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters/{cluster}/cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get what the topics of a cluster cost in a month */
        get: operations["kafka_cost_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters/{cluster}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what all topics of a cluster stored on each day of the last 400
         * @description Topics that were deleted since are in it.
         */
        get: operations["kafka_cluster_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters/{cluster}/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the topics of a cluster */
        get: operations["kafka_topic_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters/{cluster}/topics/{topic}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a topic with its partitions and replicas */
        get: operations["kafka_topic_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters/{cluster}/topics/{topic}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a topic stored on each day of the last 400
         * @description There are rows of a thousand topics, those that store most. A topic that was deleted keeps its rows until others need their place.
         */
        get: operations["kafka_topic_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters/{cluster}/topics/{topic}/sharing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how much of each replica of a topic another replica has too
         * @description Replicas of a partition are stored once as far as their record batches are the same. Below 80 % the response names the reason that the
         *     files show.
         */
        get: operations["kafka_sharing_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kafka/clusters/{cluster}/what-if": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compute what changes would return
         * @description Nothing is changed. The answer is of this instant. Which replicas a smaller factor removes is Kafka's choice; those of the last
         *     brokers are assumed. One such request is processed at a time.
         */
        post: operations["kafka_what_if"];
        delete?: never;
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
         * @description 5-second samples for an hour, 1-minute samples for a day, and 15-minute samples for 30 days, across restarts of the daemon.
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
    "/api/v1/node": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the node that serves the pool */
        get: operations["node_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/node/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand the pool over to another node
         * @description The daemon stops, and does not take the pool again for ten seconds. A standby takes the pool within about a
         *     second. Without a standby, clients wait until this node serves the pool again.
         */
        post: operations["node_release"];
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
    "/api/v1/pool/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the schedule of backups and the last one */
        get: operations["backups_show"];
        put?: never;
        /**
         * Back up the pool while it serves
         * @description The backup contains the pool at one instant, with everything that was written before. Only segments that are not
         *     in the directory yet are copied, and all copied data is read back and verified. The response contains a job, whose
         *     `backup` will describe it. One backup is made at a time.
         */
        post: operations["backup_create"];
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
         * Calculate the storage efficiency now
         * @description The daemon also calculates it regularly: `pool` and `volumes` contain the latest result. This request scans every extent of the volume
         *     or the pool, which takes a while, and its result replaces the last one. One such request is processed at a time.
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
    "/api/v1/pool/finalize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finalize the upgrade of the pool
         * @description The pool gets the newest format. From then on, no older release can open it.
         */
        post: operations["pool_finalize"];
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
    "/api/v1/pool/speed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Measure the sync rate of the pool's disk
         * @description Writes to an unnamed file in the pool's directory for about 1.5 seconds, which slows down other writers. One measurement
         *     runs at a time.
         */
        post: operations["pool_speed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/s3/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all S3 groups, by name */
        get: operations["s3_group_list"];
        put?: never;
        /** Create an S3 group */
        post: operations["s3_group_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/s3/groups/{group}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an S3 group */
        get: operations["s3_group_show"];
        put?: never;
        post?: never;
        /**
         * Delete an S3 group
         * @description Its members lose its permissions. The built-in group `administrators` cannot be deleted.
         */
        delete: operations["s3_group_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/s3/groups/{group}/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add an S3 user to a group
         * @description The request is idempotent.
         */
        put: operations["s3_member_add"];
        post?: never;
        /** Remove an S3 user from a group */
        delete: operations["s3_member_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/s3/groups/{group}/policies/{policy}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a policy of an S3 group, unchanged */
        get: operations["s3_policy_show"];
        /**
         * Set a policy of an S3 group
         * @description The document is in the policy language of AWS, without principals. An error names the invalid statement.
         *     The request is idempotent.
         */
        put: operations["s3_policy_put"];
        post?: never;
        /** Remove a policy from an S3 group */
        delete: operations["s3_policy_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/s3/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all S3 users, by name */
        get: operations["s3_user_list"];
        put?: never;
        /** Create an S3 user */
        post: operations["s3_user_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/s3/users/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an S3 user */
        get: operations["s3_user_show"];
        put?: never;
        post?: never;
        /**
         * Delete an S3 user, with its access keys and memberships
         * @description The buckets and objects of the user are kept.
         */
        delete: operations["s3_user_delete"];
        options?: never;
        head?: never;
        /**
         * Change an S3 user
         * @description Requests of a disabled user are refused; its keys and groups are kept.
         */
        patch: operations["s3_user_change"];
        trace?: never;
    };
    "/api/v1/s3/users/{user}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the access keys of an S3 user */
        get: operations["s3_key_list"];
        put?: never;
        /**
         * Create an access key
         * @description A user has at most two, so that one can replace the other. The response contains the secret, which cannot be
         *     retrieved again.
         */
        post: operations["s3_key_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/s3/users/{user}/keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an access key, without its secret */
        get: operations["s3_key_show"];
        put?: never;
        post?: never;
        /** Delete an access key */
        delete: operations["s3_key_delete"];
        options?: never;
        head?: never;
        /**
         * Change an access key
         * @description Requests with a disabled key are refused.
         */
        patch: operations["s3_key_change"];
        trace?: never;
    };
    "/api/v1/silences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List silences */
        get: operations["silence_list"];
        put?: never;
        /**
         * Silence alerts for a time
         * @description Matching alerts are shown, but they are not delivered and do not affect the status. Prometheus has separate silences.
         */
        post: operations["silence_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/silences/{silence}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a silence */
        delete: operations["silence_delete"];
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
    "/api/v1/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of the daemon
         * @description Contains the health, the alerts with the affected objects, recent changes, the busiest clients and volumes, and a forecast of the space.
         */
        get: operations["status_show"];
        put?: never;
        post?: never;
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
         *     that have it mounted get "stale file handle" from then on. It can be recovered for `pool.recovery_hours`
         *     (see `/deleted-volumes`), unless `now` is given.
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
    "/api/v1/volumes/{volume}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the access of a client to a volume
         * @description Names the rule of the export policy that applies to a client with this address.
         */
        get: operations["volume_access"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes/{volume}/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the clients that have files of a volume open */
        get: operations["volume_clients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description A clone takes no time and no space to create, whatever its size. A snapshot `clone-NAME` is taken for it, and deleted when
         *     the clone is purged.
         */
        post: operations["volume_clone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes/{volume}/snapshot-space": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the space that the deletion of each snapshot of a volume would free
         * @description Reads all extents of the volume, which takes long for a large volume. A result is cached for a minute.
         */
        get: operations["snapshot_space_show"];
        put?: never;
        post?: never;
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
         * @description Refused if the snapshot has clones or is locked. Space that only this snapshot used is freed in the background.
         */
        delete: operations["snapshot_delete"];
        options?: never;
        head?: never;
        /**
         * Change the name, the expiry or the lock of a snapshot
         * @description A snapshot that was taken for a clone is then no longer deleted with the clone.
         */
        patch: operations["snapshot_change"];
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
    "/api/v1/volumes/{volume}/snapshots/{snapshot}/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the Kafka topics that a snapshot has
         * @description The directories of the snapshot are read, so this also works if Kafka views are off. One such request is processed at a time.
         */
        get: operations["kafka_snapshot_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/volumes/{volume}/snapshots/{snapshot}/topics/{topic}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a Kafka topic of a snapshot, with the offsets of its replicas and the commands that copy them */
        get: operations["kafka_snapshot_topic_show"];
        put?: never;
        post?: never;
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
        /** @description The access of a client to a volume. */
        AccessView: {
            /** @description The client's address. */
            client: string;
            /** @description The volume's export policy. */
            policy: string;
            /**
             * Format: uint32
             * @description The position of that rule, counted from 1.
             */
            position?: number | null;
            rule?: components["schemas"]["RuleView"] | null;
            /** @description The volume. */
            volume: string;
        };
        /** @description A comment for an acknowledgement. */
        Acknowledge: {
            /** @description For other operators, such as a ticket's number. Up to 500 characters. */
            comment?: string;
        };
        /** @description Somebody has seen an alert. No notice repeats it; it still counts. */
        AcknowledgementView: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The user. */
            by: string;
            /** @description The user's comment; may be empty. */
            comment: string;
        };
        /**
         * @description The severity of an alert.
         * @enum {string}
         */
        AlertSeverity: "info" | "warning" | "critical";
        /**
         * @description Whether an alert goes on.
         * @enum {string}
         */
        AlertState: "firing" | "resolved";
        /** @description A target of alert notices. */
        AlertTargetView: {
            /**
             * Format: uint64
             * @description The number of notices delivered since the daemon started.
             */
            delivered: number;
            /**
             * Format: uint64
             * @description The number of notices given up since the daemon started.
             */
            dropped: number;
            /** @description Why it failed. */
            error?: string | null;
            /**
             * Format: date-time
             * @description When the last attempt failed; null if it succeeded.
             */
            failed?: string | null;
            /** @description Its type: `webhook`, `slack`, `teams`, `pagerduty`, `mail` or `command`. */
            kind: string;
            /**
             * Format: date-time
             * @description When the last one was delivered; null if none was since the daemon started.
             */
            last_delivered?: string | null;
            /** @description Its name in the file of targets. */
            name: string;
            /** @description The address, without secrets. */
            place: string;
            /** @description Alerts of a lower severity are not for it. */
            severity: components["schemas"]["AlertSeverity"];
            /**
             * Format: uint64
             * @description The number of notices that wait to be delivered.
             */
            waiting: number;
        };
        /** @description An alert: a rule, and an object that it concerns. */
        AlertView: {
            acknowledged?: components["schemas"]["AcknowledgementView"] | null;
            /** @description Identifies the rule and the object, also across restarts. */
            id: string;
            /** @description The problem and its cause. */
            message: string;
            /** @description The rule. */
            name: string;
            /** @description The object that it concerns, such as `volume kafka`. */
            object: string;
            /** @description The remedy. Commands are in backticks. */
            remedy: string;
            /**
             * Format: date-time
             * @description When it was resolved; null if it still fires.
             */
            resolved?: string | null;
            /** @description The severity. */
            severity: components["schemas"]["AlertSeverity"];
            silenced?: components["schemas"]["SilenceView"] | null;
            /**
             * Format: date-time
             * @description Since when.
             */
            since: string;
            /** @description Whether it still fires. */
            state: components["schemas"]["AlertState"];
            /** @description The rule in a phrase. */
            summary: string;
        };
        /**
         * @description Whether a client answers the server's callbacks.
         * @enum {string}
         */
        BackChannel: "none" | "probing" | "answers" | "silent";
        /** @description A request for a backup. */
        BackupRequest: {
            /**
             * @description The directory, an absolute path on the daemon's machine: empty, or one with backups of this pool. Without it, that of the
             *     configuration. Only the role admin may name one.
             */
            directory?: string | null;
            /**
             * Format: uint32
             * @description The number of backups to keep there, the new one included. Without it, the configured number in the configured directory, and all in
             *     any other one.
             */
            keep?: number | null;
            /** @description Whether to accept an empty directory where the last backups are expected, because it is on a new disk. */
            new?: boolean;
        };
        /** @description A finished backup. */
        BackupView: {
            /**
             * Format: uint64
             * @description Bytes of all segments that it needs.
             */
            bytes: number;
            /**
             * Format: uint64
             * @description Bytes that were copied for it; the other ones were there already.
             */
            bytes_copied: number;
            /**
             * Format: uint64
             * @description Number of frames in it that were damaged in the pool, too.
             */
            damaged: number;
            /**
             * Format: date-time
             * @description When it was finished.
             */
            finished: string;
            /** @description Its name. */
            name: string;
            /** @description The release that made it. */
            release: string;
            /**
             * Format: date-time
             * @description The instant that it shows.
             */
            taken: string;
            /** @description The names of the volumes and buckets in it. */
            volumes: string[];
        };
        /** @description Backups of the pool: the schedule, and the last one. */
        BackupsView: {
            /** @description The directory of scheduled backups; null if none is configured. */
            directory?: string | null;
            /**
             * Format: date-time
             * @description When the next scheduled backup is due; null without a schedule.
             */
            due?: string | null;
            /** @description Why. */
            error?: string | null;
            /**
             * Format: uint64
             * @description Hours between two scheduled backups; null without a schedule.
             */
            every_hours?: number | null;
            /**
             * Format: date-time
             * @description When a backup into the directory of scheduled backups failed, if none was finished there since.
             */
            failed?: string | null;
            /**
             * Format: uint64
             * @description Number of backups that are kept in that directory; null keeps all.
             */
            keep?: number | null;
            last?: components["schemas"]["BackupView"] | null;
            /** @description The directory of the last backup. */
            last_directory?: string | null;
        };
        /** @description Changes to a bucket. Fields that are absent stay unchanged; null removes a limit or a setting. */
        BucketEdit: {
            /** @description Compression of new objects. */
            compression?: components["schemas"]["Compression"];
            /**
             * Format: uint64
             * @description Maximum bytes per second that clients may read and write; null means no limit.
             */
            max_bytes_per_second?: number | null;
            public_access_block?: components["schemas"]["PublicAccessBlock"] | null;
            /**
             * Format: uint64
             * @description Maximum size in bytes, of all versions and uploaded parts; null means no limit but the pool's.
             */
            size?: number | null;
            /** @description All tags of the bucket. */
            tags?: {
                [key: string]: string;
            };
            /** @description The versioning of objects. */
            versioning?: components["schemas"]["Versioning"];
        };
        /** @description A bucket. */
        BucketView: {
            /**
             * Format: uint64
             * @description Bytes of objects, older versions and uploaded parts. The limit of the size counts them.
             */
            bytes_logical: number;
            /** @description Compression of new objects. */
            compression: components["schemas"]["Compression"];
            /**
             * Format: date-time
             * @description When it was created.
             */
            created: string;
            default_retention?: components["schemas"]["DefaultRetentionView"] | null;
            /** @description Whether it has rules for cross-origin requests. */
            has_cors: boolean;
            /** @description Whether it has lifecycle rules. */
            has_lifecycle: boolean;
            /** @description Whether it has a policy. */
            has_policy: boolean;
            /** @description The bucket's id, in hexadecimal. It is never reused. */
            id: string;
            /**
             * Format: uint64
             * @description Maximum bytes per second that clients may read and write, if limited.
             */
            max_bytes_per_second?: number | null;
            /** @description The bucket's name. */
            name: string;
            /** @description Whether versions can be locked against removal. */
            object_lock: boolean;
            /**
             * Format: uint64
             * @description Number of objects, older versions and uploaded parts that have content.
             */
            objects: number;
            /** @description The S3 user who owns it. */
            owner: string;
            /** @description Whether its policy grants access to everyone. */
            public: boolean;
            public_access_block?: components["schemas"]["PublicAccessBlock"] | null;
            /**
             * Format: uint64
             * @description Maximum size in bytes, if limited.
             */
            size?: number | null;
            /** @description Tags of the bucket. */
            tags: {
                [key: string]: string;
            };
            /** @description The versioning of objects. */
            versioning: components["schemas"]["Versioning"];
            waits?: components["schemas"]["WaitsView"] | null;
        };
        /** @description A node that waits for a pool. */
        CandidateView: {
            /**
             * Format: uint64
             * @description Time since it was seen, in milliseconds. A candidate is seen twice a second.
             */
            age_ms: number;
            /** @description The process. */
            instance: string;
            /** @description Its name. */
            node: string;
            /**
             * Format: uint32
             * @description The node's priority: it takes the pool of a silent owner this many steps of 0.5 s later.
             */
            priority: number;
            /**
             * Format: date-time
             * @description Since when it waits.
             */
            since: string;
        };
        /** @description The space of the pool or of a volume over the last year. */
        CapacityHistoryView: {
            /**
             * Format: uint64
             * @description Bytes in use now: of the pool's file system, or of the volume's files.
             */
            bytes_used: number;
            /** @description A row for each day, oldest first. Days without the daemon are missing. */
            days: components["schemas"]["DayView"][];
            forecast?: components["schemas"]["ForecastView"] | null;
            /**
             * Format: uint64
             * @description The size of the pool's file system, or of the volume; null for a volume without a size.
             */
            size?: number | null;
            /** @description The volume; null for the pool. */
            volume?: string | null;
        };
        /** @description The space of the pool, and of the volumes that are closest to their size. */
        CapacityView: {
            /**
             * Format: uint64
             * @description Bytes that can still be written.
             */
            bytes_free: number;
            /**
             * Format: uint64
             * @description Bytes that the pool can hold.
             */
            bytes_total: number;
            efficiency?: components["schemas"]["EfficiencyView"] | null;
            forecast?: components["schemas"]["ForecastView"] | null;
            /**
             * Format: uint64
             * @description Seconds until it is full at the rate of the last hours; null if it does not fill up, or if that is not known.
             */
            full_in_seconds?: number | null;
            /** @description Volumes with a size: those that are full soonest, then those that are fullest. At most eight. */
            volumes: components["schemas"]["VolumeSpaceView"][];
        };
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
        /** @description The activity of a client in the last half minute, as of the last evaluation of the health rules. */
        ClientNowView: {
            /**
             * Format: double
             * @description The 99th percentile of COMMIT, which a broker's fsync waits for, in seconds; null if there were none.
             */
            commit_p99_seconds?: number | null;
            /**
             * Format: double
             * @description Operations per second, without SEQUENCE and PUTFH.
             */
            operation_rate: number;
            /**
             * Format: double
             * @description The mean duration of reads, in seconds; null if there were none.
             */
            read_mean_seconds?: number | null;
            /**
             * Format: double
             * @description Bytes per second read.
             */
            read_rate: number;
            /**
             * Format: double
             * @description The mean duration of writes, in seconds; null if there were none.
             */
            write_mean_seconds?: number | null;
            /**
             * Format: double
             * @description Bytes per second written.
             */
            write_rate: number;
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
            /**
             * Format: uint64
             * @description Bytes that the client has written since it registered.
             */
            bytes_written: number;
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
            /** @description The client's activity in the last half minute. */
            now: components["schemas"]["ClientNowView"];
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
        /** @description Numbers of NFS clients. */
        ClientsView: {
            /**
             * Format: uint64
             * @description With a valid lease.
             */
            connected: number;
            /**
             * Format: uint64
             * @description Which reclaim what they had open before the restart.
             */
            reclaiming: number;
            /**
             * Format: uint64
             * @description Silent beyond their lease.
             */
            silent: number;
        };
        /** @description A request to move the pool. */
        ClusterMoveRequest: {
            /** @description The name of a node that waits for the pool. */
            to: string;
        };
        /**
         * @description Whether a pool is served.
         * @enum {string}
         */
        ClusterPoolState: "serving" | "opening" | "silent" | "released" | "never_opened" | "newer" | "unreadable";
        /** @description A pool of a database. */
        ClusterPoolView: {
            /**
             * Format: uint64
             * @description The last batch that was committed.
             */
            batch?: number | null;
            /**
             * Format: uint64
             * @description Size of its tables and indexes in the database.
             */
            bytes?: number | null;
            /** @description The nodes that wait for it; null if the role may not read them. */
            candidates?: components["schemas"]["CandidateView"][] | null;
            /**
             * Format: uint64
             * @description Grows with each owner.
             */
            epoch?: number | null;
            /**
             * Format: uint64
             * @description Time since the last renewal of the lease, in milliseconds; null if it is not known. An owner renews it twice a second.
             */
            lease_age_ms?: number | null;
            /** @description Its name. */
            name: string;
            /** @description The node that has it, or had it last; null if no node had it, or it cannot be read. */
            node?: string | null;
            /** @description Why nothing more is known about it. */
            problem?: string | null;
            /**
             * Format: uint64
             * @description How long its owner has been silent, in milliseconds; null if it is not.
             */
            silent_ms?: number | null;
            /**
             * Format: date-time
             * @description When the node took it.
             */
            since?: string | null;
            /** @description Whether it is served. */
            state: components["schemas"]["ClusterPoolState"];
            takeover?: components["schemas"]["TakeoverView"] | null;
        };
        /** @description A request to release the pool. */
        ClusterReleaseRequest: {
            /** @description Release it although no node waits for it. */
            force?: boolean;
        };
        /** @description The pools of a database. */
        ClusterView: {
            /** @description The database and its server. */
            database: string;
            /** @description The pools, by name. */
            items: components["schemas"]["ClusterPoolView"][];
            /** @description The pool that the answering daemon serves; null if no daemon was asked. */
            pool?: string | null;
            /** @description The standbys that guard the commits. */
            standbys: string[];
            /** @description Whether commits wait for another machine. */
            synchronous: components["schemas"]["SynchronousState"];
            /**
             * Format: uint64
             * @description Number of pools.
             */
            total: number;
        };
        /**
         * @description The reason for an error, as a stable code for programs.
         * @enum {string}
         */
        Code: "bad_request" | "invalid" | "token_missing" | "token_refused" | "role_insufficient" | "route_not_found" | "volume_not_found" | "deleted_volume_not_found" | "snapshot_not_found" | "export_policy_not_found" | "export_rule_not_found" | "node_not_found" | "node_not_waiting" | "client_not_found" | "stateid_not_found" | "user_not_found" | "token_not_found" | "job_not_found" | "lab_report_not_found" | "bucket_not_found" | "bucket_document_not_found" | "s3_user_not_found" | "s3_key_not_found" | "s3_group_not_found" | "s3_policy_not_found" | "kafka_cluster_not_found" | "kafka_topic_not_found" | "not_found" | "method_not_allowed" | "request_timeout" | "already_exists" | "differs" | "in_use" | "snapshot_locked" | "needs_format" | "ambiguous" | "volume_not_empty" | "bucket_not_empty" | "bucket_locked" | "public_policy_blocked" | "s3_is_off" | "kafka_is_off" | "kafka_report_missing" | "size_below_used" | "permanent" | "last_admin" | "too_many" | "job_running" | "job_ended" | "body_too_large" | "media_type_unsupported" | "internal" | "unavailable" | "no_space";
        /** @description The duration of COMMIT, which is a broker's fsync. */
        CommitView: {
            /**
             * Format: double
             * @description The 99th percentile of the last half minute, in seconds; null without enough of them.
             */
            p99_seconds?: number | null;
            /**
             * Format: double
             * @description Its usual value: the median of the minutes of the last day; null until it is known.
             */
            usual_p99_seconds?: number | null;
        };
        /**
         * @description Compression of new writes.
         * @enum {string}
         */
        Compression: "none" | "lz4" | "zstd";
        /** @description A rule for cross-origin requests. */
        CorsRule: {
            /** @description Headers that they may send, each with at most one `*`. */
            allowed_headers?: string[];
            /** @description Methods that they may use: GET, PUT, HEAD, POST, DELETE. */
            allowed_methods: string[];
            /** @description Origins that may send requests, each with at most one `*`. */
            allowed_origins: string[];
            /** @description Headers that they may read. */
            expose_headers?: string[];
            /** @description The rule's id. */
            id?: string;
            /**
             * Format: uint32
             * @description How long a browser may keep the answer, in seconds.
             */
            max_age_seconds?: number;
        };
        /** @description The rules for cross-origin requests of a bucket. The first that matches a request decides. */
        CorsRules: {
            /** @description The rules. */
            rules: components["schemas"]["CorsRule"][];
        };
        /** @description A day. */
        DayView: {
            /**
             * Format: uint64
             * @description Bytes in use at its end, or now.
             */
            bytes_used: number;
            /**
             * Format: date
             * @description The date, in UTC.
             */
            date: string;
        };
        /** @description The retention that new objects of a bucket get. */
        DefaultRetentionView: {
            /**
             * Format: uint32
             * @description Duration in days, if it is set in days.
             */
            days?: number | null;
            /** @description The mode. */
            mode: components["schemas"]["LockMode"];
            /**
             * Format: uint32
             * @description Duration in years, if it is set in years.
             */
            years?: number | null;
        };
        /** @description A deleted volume that can be recovered. */
        DeletedVolumeView: {
            /**
             * Format: uint64
             * @description Bytes of file data, holes excluded. They still take space.
             */
            bytes_logical: number;
            /** @description The snapshot that the volume was cloned from, as VOLUME@SNAPSHOT. */
            clone_of?: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created: string;
            /**
             * Format: date-time
             * @description When it was deleted.
             */
            deleted: string;
            /** @description The export policy that it had. */
            export: string;
            /** @description The volume's id, in hexadecimal. In paths, `id:` and this id can replace the name. */
            id: string;
            /**
             * Format: uint64
             * @description Number of inodes, including the root directory.
             */
            inodes_used: number;
            /**
             * Format: date-time
             * @description The end of the last lock of a snapshot, before which the volume is not purged; null if there is none.
             */
            locked_until?: string | null;
            /** @description The volume's name when it was deleted. Several deleted volumes can have the same name. */
            name: string;
            /** @description The path that clients mounted. */
            path: string;
            /**
             * Format: date-time
             * @description When it is purged. Until then it can be recovered. Time while the daemon is stopped does not count.
             */
            recoverable_until: string;
            /**
             * Format: uint64
             * @description Number of its snapshots, which are recovered with it.
             */
            snapshots: number;
        };
        /** @description The sync rate of a disk. */
        DiskSpeedView: {
            /**
             * Format: uint64
             * @description Bytes of it that are free.
             */
            bytes_free: number;
            /**
             * Format: uint64
             * @description Bytes of the file system.
             */
            bytes_total: number;
            /** @description Whether the pool's directory is the root of a file system of its own. */
            own_file_system: boolean;
            /** @description Whether the syncs are so slow that brokers wait noticeably: fewer than 500 per second. */
            slow: boolean;
            /**
             * Format: double
             * @description Small writes that were made durable one after the other, per second. Brokers wait for syncs.
             */
            syncs_per_second: number;
            /**
             * Format: double
             * @description Bytes per second of large writes that were made durable.
             */
            write_bytes_per_second: number;
        };
        /**
         * @description Storage efficiency of a volume, a bucket or the pool.
         *
         *     `bytes_shown` - `bytes_cloned` + `bytes_retained` = `bytes_logical` for the pool, and for each `bytes_logical` - `bytes_deduplicated`
         *     - `bytes_compressed` = `bytes_physical`.
         */
        EfficiencyView: {
            /**
             * Format: uint64
             * @description The part of it that clones show and share with the volumes that they were cloned from.
             */
            bytes_cloned: number;
            /**
             * Format: uint64
             * @description Bytes saved by compression.
             */
            bytes_compressed: number;
            /**
             * Format: uint64
             * @description Bytes saved by deduplication: replicas.
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
             * @description Bytes of file data, each stored version once, holes excluded.
             */
            bytes_logical: number;
            /**
             * Format: uint64
             * @description Bytes stored.
             */
            bytes_physical: number;
            /**
             * Format: uint64
             * @description Bytes of file data that its volume does not show any more: snapshots keep it, or it is about to be freed.
             */
            bytes_retained: number;
            /**
             * Format: uint64
             * @description Bytes of file data that volumes and buckets show, holes excluded.
             */
            bytes_shown: number;
            /**
             * Format: date-time
             * @description When this was calculated.
             */
            calculated?: string;
            /**
             * Format: double
             * @description `bytes_logical` for each byte of `bytes_physical`; 0 if nothing is stored. Clones and snapshots do not raise it.
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
        /** @description The throughput of a volume or a client. */
        FlowView: {
            /** @description The client's address; null for a volume. */
            address?: string | null;
            /** @description The volume or the client. */
            name: string;
            /**
             * Format: double
             * @description Bytes per second read in the last half minute.
             */
            read_rate: number;
            /**
             * Format: double
             * @description Bytes per second written.
             */
            write_rate: number;
        };
        /** @description When something will be full, by its growth of up to sixty days. */
        ForecastView: {
            /**
             * Format: uint64
             * @description The number of days that are known.
             */
            days: number;
            /**
             * Format: uint64
             * @description At the growth that a quarter of the days exceeded.
             */
            earliest_seconds: number;
            /**
             * Format: uint64
             * @description Seconds until it is full at the median growth.
             */
            full_in_seconds: number;
            /**
             * Format: uint64
             * @description At the growth that three quarters exceeded; null if it would not be full within ten years.
             */
            latest_seconds?: number | null;
        };
        /** @description The format of the pool. */
        FormatView: {
            /** @description Whether the release before this one can still open the pool. */
            can_go_back: boolean;
            /**
             * Format: uint32
             * @description The pool's format.
             */
            format: number;
            /**
             * Format: uint32
             * @description The newest format that the daemon's release reads and writes.
             */
            newest: number;
            /** @description The features that the pool lacks until its upgrade is finalized. */
            news: string[];
        };
        /** @description A grace period. */
        GraceView: {
            /**
             * Format: uint64
             * @description Number of clients that have not come back.
             */
            missing: number;
            /** @description Names of these clients; at most 16. */
            missing_clients: string[];
            /**
             * Format: uint64
             * @description Maximum remaining duration in seconds, unless clients continue to reclaim.
             */
            remaining_seconds: number;
        };
        /**
         * @description The source of a caller's supplementary groups.
         * @enum {string}
         */
        Groups: "client" | "server";
        /** @description A rule whose alert fires. */
        HealthReason: {
            /** @description The rule. */
            name: string;
            /**
             * Format: uint64
             * @description The number of objects that it concerns.
             */
            objects: number;
            /** @description The remedy. */
            remedy: string;
            /** @description The severity. */
            severity: components["schemas"]["AlertSeverity"];
            /**
             * Format: date-time
             * @description Since when.
             */
            since: string;
            /** @description The problem. */
            summary: string;
        };
        /**
         * @description The daemon's health.
         * @enum {string}
         */
        HealthStatus: "ok" | "warning" | "critical";
        /** @description The daemon's health, for anyone. It names no objects; `status` and `alerts` do. */
        HealthView: {
            /**
             * Format: date-time
             * @description When it was evaluated; null right after the start.
             */
            evaluated?: string | null;
            /** @description Why, the gravest first. */
            reasons: components["schemas"]["HealthReason"][];
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
            /** @description The starts of the daemon in this time, oldest first. Nothing was measured before each of them. */
            restarts: components["schemas"]["RestartView"][];
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
        JobKind: "pool_check" | "pool_backup";
        /**
         * @description The state of a job.
         * @enum {string}
         */
        JobState: "running" | "succeeded" | "failed" | "cancelled";
        /** @description A background job. */
        JobView: {
            backup?: components["schemas"]["BackupView"] | null;
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
        /** @description The answer to a question. */
        KafkaAnswerView: {
            /** @description Each change by itself, in the order of the question. */
            changes: components["schemas"]["KafkaReturnedView"][];
            /** @description All changes together, which can be more than the sum. */
            together: components["schemas"]["KafkaReturnedView"];
        };
        /**
         * @description Whether a broker runs.
         * @enum {string}
         */
        KafkaBrokerState: "up" | "silent" | "gone" | "never";
        /** @description A log directory, and the broker that uses it. */
        KafkaBrokerView: {
            /** @description The address of the client that holds `.lock`, or held it last. */
            address?: string | null;
            /** @description The client's owner string. */
            client?: string | null;
            /** @description The log directory's id. */
            directory_id?: string | null;
            /** @description What they store. */
            figures: components["schemas"]["KafkaFigures"];
            /**
             * Format: uint32
             * @description The node id.
             */
            node?: number | null;
            /** @description The path of the log directory from the server's root. */
            path: string;
            /**
             * Format: uint64
             * @description Number of replicas.
             */
            replicas: number;
            /**
             * Format: uint64
             * @description Milliseconds since the client's last request, if it is silent.
             */
            silent_ms?: number | null;
            /**
             * Format: date-time
             * @description When the daemon first saw this state.
             */
            since?: string | null;
            /**
             * Format: double
             * @description Bytes in files relative to the mean of the cluster's brokers; 1 is the mean.
             */
            skew: number;
            /** @description Whether the broker runs. */
            state: components["schemas"]["KafkaBrokerState"];
            /** @description Whether the broker stopped in order, and has not been started since. */
            stopped_cleanly: boolean;
            /** @description The volume. */
            volume: string;
        };
        /** @description The brokers of a cluster. */
        KafkaBrokersView: {
            /** @description The log directories, ordered by node. */
            items: components["schemas"]["KafkaBrokerView"][];
            /** @description The report. */
            report: components["schemas"]["KafkaReportView"];
        };
        /** @description A change that someone thinks about. */
        KafkaChange: {
            /** @description What would be done. */
            kind: components["schemas"]["KafkaChangeKind"];
            /**
             * Format: uint64
             * @description For `factor`: the number of replicas to keep, at least 1.
             */
            replicas?: number | null;
            /**
             * Format: uint64
             * @description For `retain`: the retention in seconds.
             */
            seconds?: number | null;
            /** @description For `snapshot`: the snapshot's name. */
            snapshot?: string | null;
            /** @description The topic, or the beginning of topics and `*`; for all kinds but `snapshot`. */
            topic?: string | null;
            /** @description For `snapshot`: the volume. */
            volume?: string | null;
        };
        /**
         * @description A kind of change.
         * @enum {string}
         */
        KafkaChangeKind: "delete" | "retain" | "factor" | "snapshot";
        /** @description The directories that could go. */
        KafkaCleanupView: {
            /** @description The directories, the largest first; at most 1,000. */
            items: components["schemas"]["KafkaLeftoverView"][];
            /** @description The report. */
            report: components["schemas"]["KafkaReportView"];
            /**
             * Format: uint64
             * @description The number of directories.
             */
            total: number;
        };
        /** @description A Kafka cluster. */
        KafkaClusterView: {
            /**
             * Format: uint64
             * @description Number of brokers: different node ids.
             */
            brokers: number;
            /** @description The volume, if it is a clone. Data that it only shows is counted where it is stored. */
            clone?: string | null;
            /** @description The cluster in paths: its id, or `unknown`, with `@VOLUME` if the volume is a clone. */
            cluster: string;
            /** @description What all topics store. */
            figures: components["schemas"]["KafkaFigures"];
            /** @description The cluster's id; null if `meta.properties` does not have it. */
            id?: string | null;
            /**
             * Format: uint64
             * @description Number of log directories.
             */
            log_directories: number;
            /**
             * Format: uint64
             * @description Number of log directories whose `.lock` a client holds.
             */
            log_directories_up: number;
            /**
             * Format: uint64
             * @description Number of partitions.
             */
            partitions: number;
            /**
             * Format: double
             * @description Ratio of bytes in files to bytes stored.
             */
            ratio: number;
            /**
             * Format: uint64
             * @description Number of replicas, without those that are being deleted.
             */
            replicas: number;
            /**
             * Format: uint64
             * @description Number of replicas that are being deleted.
             */
            replicas_deleted: number;
            /**
             * Format: uint64
             * @description Number of topics.
             */
            topics: number;
        };
        /** @description The clusters that a pool stores. */
        KafkaClustersView: {
            /** @description The clusters. */
            items: components["schemas"]["KafkaClusterView"][];
            /** @description The report. */
            report: components["schemas"]["KafkaReportView"];
            /** @description What the pool stores. */
            totals: components["schemas"]["KafkaTotalsView"];
        };
        /** @description A row of a bill. */
        KafkaCostRow: {
            /**
             * Format: double
             * @description What the stored bytes cost in a month.
             */
            cost: number;
            /** @description What they store. */
            figures: components["schemas"]["KafkaFigures"];
            /** @description The topic, or the prefix; `__` for Kafka's own topics. */
            name: string;
            /**
             * Format: uint64
             * @description Number of topics.
             */
            topics: number;
        };
        /** @description The monthly cost of topics. */
        KafkaCostView: {
            /**
             * Format: uint64
             * @description Bytes stored by the pool for all else: other clusters, other files, objects, snapshots.
             */
            bytes_rest: number;
            /**
             * Format: double
             * @description What the rest costs.
             */
            cost_rest: number;
            /** @description The rows, the most expensive first. */
            items: components["schemas"]["KafkaCostRow"][];
            /**
             * Format: double
             * @description The price of 10^12 stored bytes in a month.
             */
            price: number;
            /** @description The report. */
            report: components["schemas"]["KafkaReportView"];
        };
        /** @description A day. */
        KafkaDayView: {
            /**
             * Format: uint64
             * @description Bytes that deleting them would have returned.
             */
            bytes_exclusive: number;
            /**
             * Format: uint64
             * @description Bytes of the files at the last report of the day, holes excluded.
             */
            bytes_in_files: number;
            /**
             * Format: uint64
             * @description Bytes stored.
             */
            bytes_stored: number;
            /**
             * Format: uint64
             * @description Bytes of records that were written in a day, from the sizes and times of the segments; null if that was not known.
             */
            bytes_written_per_day?: number | null;
            /**
             * Format: date
             * @description The date, in UTC.
             */
            date: string;
            /**
             * Format: uint64
             * @description Number of partitions.
             */
            partitions: number;
        };
        /** @description The sizes of a set of files, in bytes. */
        KafkaFigures: {
            /**
             * Format: uint64
             * @description Bytes that deleting these files would return.
             */
            bytes_exclusive: number;
            /**
             * Format: uint64
             * @description Bytes that deleting these files would return if no snapshot showed them.
             */
            bytes_held: number;
            /**
             * Format: uint64
             * @description Bytes of holes, such as the ends of preallocated indexes.
             */
            bytes_holes: number;
            /**
             * Format: uint64
             * @description Bytes of the files, holes excluded.
             */
            bytes_in_files: number;
            /**
             * Format: uint64
             * @description Bytes stored. What several files share belongs to them in equal parts, so that all rows add up to what the pool stores.
             */
            bytes_stored: number;
            /**
             * Format: uint64
             * @description Number of files.
             */
            files: number;
        };
        /** @description What a topic, or all topics of a cluster, stored on each day. */
        KafkaHistoryView: {
            /** @description A row for each day, oldest first; at most 400. Days without the daemon are missing. */
            days: components["schemas"]["KafkaDayView"][];
            /** @description The topic; null for all topics of the cluster. */
            topic?: string | null;
        };
        /**
         * @description Why a directory could go.
         * @enum {string}
         */
        KafkaLeftoverKind: "deleted" | "stray" | "abandoned";
        /** @description A directory that could go. */
        KafkaLeftoverView: {
            /**
             * Format: uint64
             * @description Seconds since it has been so.
             */
            age_seconds: number;
            /**
             * Format: uint64
             * @description Bytes that deleting it would return.
             */
            bytes_exclusive: number;
            /**
             * Format: uint64
             * @description Bytes of its files, holes excluded.
             */
            bytes_in_files: number;
            /** @description The cluster. */
            cluster: string;
            /** @description The address of the client that holds the log directory's `.lock`. */
            held_by?: string | null;
            /** @description Why it could go. */
            kind: components["schemas"]["KafkaLeftoverKind"];
            /**
             * Format: uint32
             * @description The broker's node id.
             */
            node?: number | null;
            /** @description The path from the server's root. */
            path: string;
            /** @description The topic; null for a log directory. */
            topic?: string | null;
        };
        /** @description A replica that keeps records much longer than its peers. */
        KafkaOlderView: {
            /**
             * Format: uint32
             * @description The broker's node id.
             */
            node?: number | null;
            /**
             * Format: date-time
             * @description When its oldest segment was last written.
             */
            oldest: string;
            /**
             * Format: date-time
             * @description When the oldest segment of the other replicas was last written.
             */
            oldest_of_peers: string;
            /**
             * Format: uint32
             * @description The partition.
             */
            partition: number;
        };
        /** @description A partition. */
        KafkaPartitionView: {
            /** @description What all its replicas store. */
            figures: components["schemas"]["KafkaFigures"];
            /** @description Whether brokers compact it. */
            is_compacted: boolean;
            /**
             * Format: uint32
             * @description Its number.
             */
            partition: number;
            /** @description Its replicas. */
            replicas: components["schemas"]["KafkaReplicaView"][];
        };
        /** @description Changes that someone thinks about. */
        KafkaQuestion: {
            /** @description The changes. */
            changes: components["schemas"]["KafkaChange"][];
        };
        /**
         * @description What a broker does with a replica.
         * @enum {string}
         */
        KafkaReplicaState: "live" | "deleted" | "future" | "stray";
        /** @description A replica of a partition. */
        KafkaReplicaView: {
            /** @description What it stores. Its exclusive bytes are those that deleting only this replica returns. */
            figures: components["schemas"]["KafkaFigures"];
            /**
             * Format: uint64
             * @description The high watermark, from the broker's last checkpoint.
             */
            high_watermark?: number | null;
            /**
             * Format: date-time
             * @description When the newest segment was last written.
             */
            newest?: string | null;
            /**
             * Format: uint32
             * @description The broker's node id.
             */
            node?: number | null;
            /**
             * Format: uint64
             * @description The offset of the newest segment's first record.
             */
            offset_last_segment: number;
            /**
             * Format: uint64
             * @description The offset of the oldest segment's first record.
             */
            offset_start: number;
            /**
             * Format: date-time
             * @description When the oldest segment was last written.
             */
            oldest?: string | null;
            /** @description The path of its directory from the server's root. */
            path: string;
            /** @description Why it shares less than 0.8, if it does. */
            reason?: string | null;
            /**
             * Format: uint64
             * @description Number of segments.
             */
            segments: number;
            /**
             * Format: double
             * @description The part of its bytes that another replica of the partition has too, from 0 to 1.
             */
            shared?: number | null;
            /** @description What the broker does with it. */
            state: components["schemas"]["KafkaReplicaState"];
        };
        /** @description The report that a response was made from. */
        KafkaReportView: {
            /**
             * Format: uint64
             * @description Milliseconds since then.
             */
            age_ms: number;
            /**
             * Format: uint64
             * @description How many milliseconds it took to make.
             */
            duration_ms: number;
            /** @description Why there is no newer report, if the last attempt failed. */
            error?: string | null;
            /** @description What could not be read. */
            problems: string[];
            /**
             * Format: uint64
             * @description One chunk in this many was looked at, at least; 1 means that all figures are exact.
             */
            sampled_one_in: number;
            /**
             * Format: date-time
             * @description The instant that it describes.
             */
            taken: string;
        };
        /** @description What a change would return. */
        KafkaReturnedView: {
            /**
             * Format: uint64
             * @description Bytes that would be free as well if no snapshot showed them.
             */
            bytes_held: number;
            /**
             * Format: uint64
             * @description Bytes of these files, holes excluded.
             */
            bytes_in_files: number;
            /**
             * Format: uint64
             * @description Bytes that would be free.
             */
            bytes_returned: number;
            /**
             * Format: uint64
             * @description Number of files that would be deleted.
             */
            files: number;
            /** @description What the change does not concern. */
            notes: string[];
            /**
             * Format: uint64
             * @description One chunk in this many was looked at; 1 means that the figures are exact.
             */
            sampled_one_in: number;
            /**
             * Format: double
             * @description The part of all that the pool stores, from 0 to 1.
             */
            share: number;
        };
        /** @description A cell of the matrix. */
        KafkaSharingCell: {
            /**
             * Format: uint32
             * @description The broker's node id.
             */
            node?: number | null;
            /** @description Why that is less than 0.8. */
            reason?: string | null;
            /**
             * Format: double
             * @description The part of the replica's bytes that another replica has too, from 0 to 1; null if there is no other.
             */
            shared?: number | null;
        };
        /** @description A row of the matrix. */
        KafkaSharingRow: {
            /**
             * Format: uint64
             * @description Bytes in files of all replicas.
             */
            bytes_in_files: number;
            /**
             * Format: uint64
             * @description Bytes stored for all replicas.
             */
            bytes_stored: number;
            /**
             * Format: uint32
             * @description The partition.
             */
            partition: number;
            /** @description The live replicas. */
            replicas: components["schemas"]["KafkaSharingCell"][];
        };
        /** @description How much of each replica another replica has too. */
        KafkaSharingView: {
            /** @description The node ids of the columns. */
            nodes: number[];
            /** @description The report. */
            report: components["schemas"]["KafkaReportView"];
            /** @description The partitions; at most 1,000, those with the least in common first if there are more. */
            rows: components["schemas"]["KafkaSharingRow"][];
            /** @description The topic. */
            topic: string;
            /**
             * Format: uint64
             * @description The number of partitions.
             */
            total: number;
        };
        /** @description A replica in a snapshot. */
        KafkaSnapshotReplicaView: {
            /**
             * Format: uint64
             * @description Bytes of its files, holes excluded.
             */
            bytes_in_files: number;
            /** @description The cluster's id, or `unknown`. */
            cluster: string;
            /** @description The command that copies its directory to the current one, on a client that has mounted the volume at `/mnt`. */
            copy_command: string;
            /**
             * Format: uint64
             * @description The offset up to which consumers could read, from the broker's last checkpoint before the snapshot.
             */
            high_watermark?: number | null;
            /**
             * Format: uint64
             * @description Bytes of the newest segment; 0 means that its offset is the end of the log.
             */
            last_segment_bytes: number;
            /**
             * Format: date-time
             * @description When a segment was last written.
             */
            newest?: string | null;
            /**
             * Format: uint32
             * @description The broker's node id.
             */
            node?: number | null;
            /**
             * Format: uint64
             * @description The offset of the newest segment's first record.
             */
            offset_last_segment: number;
            /**
             * Format: uint64
             * @description The offset of the oldest segment's first record.
             */
            offset_start: number;
            /**
             * Format: uint32
             * @description The partition.
             */
            partition: number;
            /** @description Its directory, from the server's root. */
            path: string;
            /**
             * Format: uint64
             * @description Number of segments.
             */
            segments: number;
            /** @description What the broker did with it. */
            state: components["schemas"]["KafkaReplicaState"];
        };
        /** @description A topic of a snapshot, with its replicas. */
        KafkaSnapshotTopicDetailView: {
            /**
             * Format: date-time
             * @description When it was taken.
             */
            created: string;
            /** @description The replicas, by cluster, partition and broker; at most 1,000. */
            replicas: components["schemas"]["KafkaSnapshotReplicaView"][];
            /** @description The snapshot. */
            snapshot: string;
            /** @description The topic. */
            topic: string;
            /**
             * Format: uint64
             * @description The number of replicas.
             */
            total: number;
            /** @description The volume. */
            volume: string;
        };
        /** @description A topic that a snapshot has. */
        KafkaSnapshotTopicView: {
            /** @description The cluster's id, or `unknown`. */
            cluster: string;
            /**
             * Format: uint64
             * @description Number of partitions.
             */
            partitions: number;
            /**
             * Format: uint64
             * @description Number of replicas, in any state.
             */
            replicas: number;
            /** @description The topic's name; its beginning, if Kafka had to cut it. */
            topic: string;
        };
        /** @description The topics that a snapshot has. */
        KafkaSnapshotView: {
            /**
             * Format: date-time
             * @description When it was taken.
             */
            created: string;
            /** @description The topics, by cluster and name; at most 10,000. */
            items: components["schemas"]["KafkaSnapshotTopicView"][];
            /** @description What could not be read. */
            problems: string[];
            /** @description The snapshot. */
            snapshot: string;
            /**
             * Format: uint64
             * @description The number of topics.
             */
            total: number;
            /** @description The volume. */
            volume: string;
        };
        /** @description A topic with its partitions. */
        KafkaTopicDetailView: {
            /** @description Its partitions; at most 1,000. */
            partitions: components["schemas"]["KafkaPartitionView"][];
            /** @description The report. */
            report: components["schemas"]["KafkaReportView"];
            /** @description The topic. */
            topic: components["schemas"]["KafkaTopicView"];
        };
        /** @description A topic. */
        KafkaTopicView: {
            /**
             * Format: double
             * @description How many times as old as its peers' the oldest record of a replica is, at most; 1 if no replica keeps offsets that the others of its
             *     partition have deleted; null if no replica has peers.
             */
            age_ratio?: number | null;
            /**
             * Format: int64
             * @description Bytes of files by which it has grown in the last day; null without a report that is a day old.
             */
            bytes_growth_last_day?: number | null;
            /**
             * Format: int64
             * @description Bytes of files by which the topic usually grows in a day: the median of the last sixty days. Until four days are known, what was
             *     measured since the daemon started; null before that.
             */
            bytes_growth_per_day?: number | null;
            /**
             * Format: uint64
             * @description Bytes of records that are written to the partitions in a day, from the sizes and times of the segments.
             */
            bytes_written_per_day?: number | null;
            /**
             * Format: uint64
             * @description The most replicas of a partition that are in use.
             */
            factor: number;
            /** @description What it stores. */
            figures: components["schemas"]["KafkaFigures"];
            /** @description Whether brokers compact it. */
            is_compacted: boolean;
            /** @description Whether Kafka had to cut the name. */
            is_cut: boolean;
            /** @description Whether it has grown three times as fast as usual in the last day, and by at least 1 GiB and a tenth of its size. */
            is_growing_fast: boolean;
            older?: components["schemas"]["KafkaOlderView"] | null;
            /**
             * Format: date-time
             * @description When the oldest segment was last written: the age of the oldest records.
             */
            oldest?: string | null;
            /**
             * Format: uint64
             * @description Number of partitions.
             */
            partitions: number;
            /**
             * Format: double
             * @description Ratio of bytes in files to bytes stored.
             */
            ratio: number;
            /** @description Number of replicas by state. */
            replicas: {
                [key: string]: number;
            };
            /**
             * Format: uint64
             * @description One chunk in this many was looked at; 1 means that the figures are exact.
             */
            sampled_one_in: number;
            /**
             * Format: double
             * @description The part of all that the pool stores, from 0 to 1.
             */
            share: number;
            /**
             * Format: double
             * @description The least that a replica has in common with others, from 0 to 1.
             */
            shared?: number | null;
            /** @description The topic's name; its beginning, if Kafka had to cut it. */
            topic: string;
        };
        /** @description A page of topics. */
        KafkaTopicsView: {
            /** @description The topics. */
            items: components["schemas"]["KafkaTopicView"][];
            /** @description The topic to continue after; null at the end. */
            next?: string | null;
            /** @description The report. */
            report: components["schemas"]["KafkaReportView"];
            /**
             * Format: uint64
             * @description The number of topics that match.
             */
            total: number;
        };
        /** @description What the pool stores, in rows that add up. */
        KafkaTotalsView: {
            /**
             * Format: uint64
             * @description Bytes stored of what no volume shows: only snapshots and clones do, or it is being freed.
             */
            bytes_snapshots: number;
            /**
             * Format: uint64
             * @description Bytes stored by the pool at that instant: the live and inline bytes of `GET /pool`. The sum of all rows.
             */
            bytes_total: number;
            /** @description Files without a name, which clients may have open. */
            deleted_files: components["schemas"]["KafkaFigures"];
            /** @description Files of log directories that are in no replica, such as checkpoints. */
            log_directories: components["schemas"]["KafkaFigures"];
            /** @description Objects of buckets. */
            objects: components["schemas"]["KafkaFigures"];
            /** @description Files outside log directories. */
            other_files: components["schemas"]["KafkaFigures"];
            /** @description All topics of all clusters. */
            topics: components["schemas"]["KafkaFigures"];
        };
        /** @description The path of a report's page. */
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
        LabVerdict: "pass" | "measured" | "fail";
        /**
         * @description How the daemon was stopped before its last start.
         * @enum {string}
         */
        LastStop: "first" | "clean" | "unclean" | "unknown";
        /** @description A lifecycle rule: which objects, and what is done with them. At least one action must be given. */
        LifecycleRule: {
            /**
             * Format: uint32
             * @description Abort uploads this number of days after they began.
             */
            abort_uploads_days?: number;
            /** @description Whether the rule is carried out; default true. */
            enabled?: boolean;
            /**
             * Format: date-time
             * @description Expire current versions from this midnight on, UTC.
             */
            expire_at?: string;
            /**
             * Format: uint32
             * @description Expire current versions this number of days after they were written.
             */
            expire_days?: number;
            /** @description Remove delete markers that have no older versions. */
            expire_delete_markers?: boolean;
            /** @description The rule's id; made from the rule if it is absent. */
            id?: string;
            /**
             * Format: uint32
             * @description Remove versions this number of days after they ceased to be current.
             */
            noncurrent_days?: number;
            /**
             * Format: uint32
             * @description Keep this number of the newest versions that are not current, whatever their age.
             */
            noncurrent_keep?: number;
            /** @description Only objects whose keys begin with this. */
            prefix?: string;
            /**
             * Format: uint64
             * @description Only objects of more bytes than this.
             */
            size_above?: number;
            /**
             * Format: uint64
             * @description Only objects of fewer bytes than this.
             */
            size_below?: number;
            /** @description Only objects with all of these tags. */
            tags?: {
                [key: string]: string;
            };
        };
        /** @description The lifecycle rules of a bucket. */
        LifecycleRules: {
            /** @description The rules. */
            rules: components["schemas"]["LifecycleRule"][];
        };
        /** @description A list of objects. */
        List_AlertTargetView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: uint64
                 * @description The number of notices delivered since the daemon started.
                 */
                delivered: number;
                /**
                 * Format: uint64
                 * @description The number of notices given up since the daemon started.
                 */
                dropped: number;
                /** @description Why it failed. */
                error?: string | null;
                /**
                 * Format: date-time
                 * @description When the last attempt failed; null if it succeeded.
                 */
                failed?: string | null;
                /** @description Its type: `webhook`, `slack`, `teams`, `pagerduty`, `mail` or `command`. */
                kind: string;
                /**
                 * Format: date-time
                 * @description When the last one was delivered; null if none was since the daemon started.
                 */
                last_delivered?: string | null;
                /** @description Its name in the file of targets. */
                name: string;
                /** @description The address, without secrets. */
                place: string;
                /** @description Alerts of a lower severity are not for it. */
                severity: components["schemas"]["AlertSeverity"];
                /**
                 * Format: uint64
                 * @description The number of notices that wait to be delivered.
                 */
                waiting: number;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_AlertView: {
            /** @description The objects. */
            items: {
                acknowledged?: components["schemas"]["AcknowledgementView"] | null;
                /** @description Identifies the rule and the object, also across restarts. */
                id: string;
                /** @description The problem and its cause. */
                message: string;
                /** @description The rule. */
                name: string;
                /** @description The object that it concerns, such as `volume kafka`. */
                object: string;
                /** @description The remedy. Commands are in backticks. */
                remedy: string;
                /**
                 * Format: date-time
                 * @description When it was resolved; null if it still fires.
                 */
                resolved?: string | null;
                /** @description The severity. */
                severity: components["schemas"]["AlertSeverity"];
                silenced?: components["schemas"]["SilenceView"] | null;
                /**
                 * Format: date-time
                 * @description Since when.
                 */
                since: string;
                /** @description Whether it still fires. */
                state: components["schemas"]["AlertState"];
                /** @description The rule in a phrase. */
                summary: string;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_BucketView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: uint64
                 * @description Bytes of objects, older versions and uploaded parts. The limit of the size counts them.
                 */
                bytes_logical: number;
                /** @description Compression of new objects. */
                compression: components["schemas"]["Compression"];
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                created: string;
                default_retention?: components["schemas"]["DefaultRetentionView"] | null;
                /** @description Whether it has rules for cross-origin requests. */
                has_cors: boolean;
                /** @description Whether it has lifecycle rules. */
                has_lifecycle: boolean;
                /** @description Whether it has a policy. */
                has_policy: boolean;
                /** @description The bucket's id, in hexadecimal. It is never reused. */
                id: string;
                /**
                 * Format: uint64
                 * @description Maximum bytes per second that clients may read and write, if limited.
                 */
                max_bytes_per_second?: number | null;
                /** @description The bucket's name. */
                name: string;
                /** @description Whether versions can be locked against removal. */
                object_lock: boolean;
                /**
                 * Format: uint64
                 * @description Number of objects, older versions and uploaded parts that have content.
                 */
                objects: number;
                /** @description The S3 user who owns it. */
                owner: string;
                /** @description Whether its policy grants access to everyone. */
                public: boolean;
                public_access_block?: components["schemas"]["PublicAccessBlock"] | null;
                /**
                 * Format: uint64
                 * @description Maximum size in bytes, if limited.
                 */
                size?: number | null;
                /** @description Tags of the bucket. */
                tags: {
                    [key: string]: string;
                };
                /** @description The versioning of objects. */
                versioning: components["schemas"]["Versioning"];
                waits?: components["schemas"]["WaitsView"] | null;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_ClientView: {
            /** @description The objects. */
            items: {
                /** @description The address it registered from. */
                address?: string | null;
                /**
                 * Format: uint64
                 * @description Bytes that the client has written since it registered.
                 */
                bytes_written: number;
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
                /** @description The client's activity in the last half minute. */
                now: components["schemas"]["ClientNowView"];
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
        List_DeletedVolumeView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: uint64
                 * @description Bytes of file data, holes excluded. They still take space.
                 */
                bytes_logical: number;
                /** @description The snapshot that the volume was cloned from, as VOLUME@SNAPSHOT. */
                clone_of?: string | null;
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                created: string;
                /**
                 * Format: date-time
                 * @description When it was deleted.
                 */
                deleted: string;
                /** @description The export policy that it had. */
                export: string;
                /** @description The volume's id, in hexadecimal. In paths, `id:` and this id can replace the name. */
                id: string;
                /**
                 * Format: uint64
                 * @description Number of inodes, including the root directory.
                 */
                inodes_used: number;
                /**
                 * Format: date-time
                 * @description The end of the last lock of a snapshot, before which the volume is not purged; null if there is none.
                 */
                locked_until?: string | null;
                /** @description The volume's name when it was deleted. Several deleted volumes can have the same name. */
                name: string;
                /** @description The path that clients mounted. */
                path: string;
                /**
                 * Format: date-time
                 * @description When it is purged. Until then it can be recovered. Time while the daemon is stopped does not count.
                 */
                recoverable_until: string;
                /**
                 * Format: uint64
                 * @description Number of its snapshots, which are recovered with it.
                 */
                snapshots: number;
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
                backup?: components["schemas"]["BackupView"] | null;
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
        List_S3GroupView: {
            /** @description The objects. */
            items: {
                /** @description Whether it is built in: only its members can be changed. */
                built_in: boolean;
                /**
                 * Format: date-time
                 * @description When the group was created.
                 */
                created: string;
                /** @description The names of its users. */
                members: string[];
                /** @description The group's name. */
                name: string;
                /** @description The names of its policies. */
                policies: string[];
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_S3KeyView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                created: string;
                /** @description Whether requests with the key are refused. */
                disabled: boolean;
                /**
                 * Format: date-time
                 * @description When it expires; null means never.
                 */
                expires?: string | null;
                /** @description The access key id, which is no secret. */
                id: string;
                /**
                 * Format: date-time
                 * @description When it was last used; may be a minute old after a crash.
                 */
                last_used?: string | null;
                /** @description Whether its secret can be decrypted. If not, the key file has changed, and the user needs a new key. */
                usable: boolean;
                /** @description The user that the key belongs to. */
                user: string;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_S3UserView: {
            /** @description The objects. */
            items: {
                /**
                 * Format: date-time
                 * @description When the user was created.
                 */
                created: string;
                /** @description Whether all requests of the user are refused. */
                disabled: boolean;
                /** @description The user's groups. */
                groups: string[];
                /** @description The user's id, which policies know as `aws:userid`. A new user of the same name has another one. */
                id: string;
                /** @description The user's access keys, without their secrets. */
                keys: components["schemas"]["S3KeyView"][];
                /** @description The user's name. */
                name: string;
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
        List_SettingView: {
            /** @description The objects. */
            items: {
                /** @description Whether that is the default. */
                is_default: boolean;
                /** @description The key in the section. */
                key: string;
                /** @description The section of the configuration file. */
                section: string;
                /** @description The value, as in the file. */
                value: string;
            }[];
            /**
             * Format: uint64
             * @description The total number of objects; larger than the length of `items` if a limit was given.
             */
            total: number;
        };
        /** @description A list of objects. */
        List_SilenceView: {
            /** @description The objects. */
            items: {
                /** @description The user who asked for it. */
                by: string;
                /** @description Why. */
                comment: string;
                /**
                 * Format: date-time
                 * @description When it was created.
                 */
                created: string;
                /**
                 * Format: uint64
                 * @description Its number.
                 */
                id: number;
                /** @description Only alerts of this object; null: of all objects. */
                object?: string | null;
                /** @description Only alerts of this rule; null: of all rules. */
                rule?: string | null;
                /**
                 * Format: date-time
                 * @description When it ends.
                 */
                until: string;
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
                /** @description Deleted volumes that are clones of the snapshot and can be recovered. They keep it, too. */
                clones_deleted: string[];
                /**
                 * Format: date-time
                 * @description When it was taken.
                 */
                created: string;
                /**
                 * Format: date-time
                 * @description When it is deleted automatically; null means never.
                 */
                expires?: string | null;
                /** @description Whether it was taken for a clone, and is deleted with the clone. */
                for_clone: boolean;
                /**
                 * Format: date-time
                 * @description Until when nobody can delete it; null if it is not locked.
                 */
                locked_until?: string | null;
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
                efficiency?: components["schemas"]["EfficiencyView"] | null;
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
                /** @description Labels of the volume, by key. */
                labels?: {
                    [key: string]: string;
                };
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
        /**
         * @description The mode of an object's retention.
         * @enum {string}
         */
        LockMode: "governance" | "compliance";
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
        /** @description The copies of the metadata. */
        MetadataView: {
            /** @description Why a copy is missing. */
            cause?: string | null;
            /**
             * Format: uint64
             * @description Number of copies that have everything that was acknowledged.
             */
            copies: number;
            /**
             * Format: uint64
             * @description Number of copies that the pool should keep: 2 with `pool.copies_directory`.
             */
            copies_wanted: number;
            /**
             * Format: uint64
             * @description Number of keys that a copy that is being built has.
             */
            keys_copied?: number | null;
            /**
             * Format: uint64
             * @description About how many keys it will have.
             */
            keys_total?: number | null;
            /**
             * Format: uint64
             * @description Number of reads since the start that the first copy could not answer, and the second one did.
             */
            reads_rescued: number;
        };
        /** @description A bucket to create. Fields that are absent, except the name, take their defaults. */
        NewBucket: {
            /** @description Compression of new objects; default lz4. */
            compression?: components["schemas"]["Compression"];
            /**
             * Format: uint64
             * @description Maximum bytes per second that clients may read and write; null means no limit.
             */
            max_bytes_per_second?: number | null;
            /** @description The bucket's name. It is not an IP address, and no name that S3 reserves. */
            name: string;
            /** @description Whether versions can be locked against removal; default false. Such a bucket keeps versions. It cannot be changed later. */
            object_lock?: boolean;
            /** @description The S3 user who owns it; default the first member of `administrators`, by name. */
            owner?: string;
            /**
             * Format: uint64
             * @description Maximum size in bytes, of all versions and uploaded parts; null means no limit but the pool's.
             */
            size?: number | null;
            /** @description Tags of the bucket. */
            tags?: {
                [key: string]: string;
            };
            /** @description The versioning of objects; default unversioned. */
            versioning?: components["schemas"]["Versioning"];
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
        /** @description A file of a volume that becomes an object of a bucket. No bytes are moved. */
        NewObject: {
            /** @description The media type of the object. */
            content_type?: string;
            /** @description The key of the object, at most 1024 bytes. */
            key: string;
            /** @description The path of the file in the volume. Symbolic links are not followed. */
            path: string;
            /** @description That the file is a Kafka log segment whose records have these offsets. The checksum of every record batch is then verified. */
            records?: components["schemas"]["OffsetsView"];
            /** @description Whether an object with that key is replaced; default false. In a bucket with versions it becomes an older version. */
            replace?: boolean;
            /** @description The volume that has the file: its name, or `id:` and its id. */
            volume: string;
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
        /** @description An S3 group to create. It has no members and no policies. */
        NewS3Group: {
            /** @description The group's name. */
            name: string;
        };
        /** @description An access key to create. Without `expires_in` and `expires` it does not expire. */
        NewS3Key: {
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
        };
        /** @description An S3 user to create. The user has no access key and belongs to no group. */
        NewS3User: {
            /** @description The user's name. */
            name: string;
        };
        /** @description A silence to create. */
        NewSilence: {
            /** @description For other operators. Up to 500 characters. */
            comment?: string;
            /** @description Only alerts of this object, such as `volume kafka`. Default: of all objects. */
            object?: string | null;
            /** @description Only alerts of this rule. Default: of all rules. */
            rule?: string | null;
            /**
             * Format: uint64
             * @description Duration in seconds, up to a year.
             */
            seconds: number;
        };
        /** @description A snapshot to take of one volume. */
        NewSnapshot: {
            /**
             * Format: date-time
             * @description When the snapshot is deleted automatically, in UTC; default never.
             */
            expires?: string;
            /**
             * Format: date-time
             * @description Until when nobody can delete the snapshot, in UTC. Requires the role admin.
             */
            locked_until?: string;
            /** @description The snapshot's name. */
            name: string;
        };
        /** @description Snapshots to take of several volumes at the same instant. */
        NewSnapshots: {
            /**
             * Format: date-time
             * @description When the snapshot is deleted automatically, in UTC; default never.
             */
            expires?: string;
            /**
             * Format: date-time
             * @description Until when nobody can delete the snapshot, in UTC. Requires the role admin.
             */
            locked_until?: string;
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
            /** @description Labels of the volume, by key, such as its owner. */
            labels?: {
                [key: string]: string;
            };
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
        /** @description The address of the NFS server, and its mount options. */
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
        /**
         * @description The phase of the node.
         * @enum {string}
         */
        NodePhase: "opening" | "serving" | "released";
        /** @description The node that has the pool. */
        NodeView: {
            /** @description The address that other nodes probe. */
            address?: string | null;
            /**
             * Format: uint64
             * @description Age of the node's last beat in the pool's directory, in milliseconds. A node beats twice a second.
             */
            beat_age_ms: number;
            /** @description Its name. */
            name: string;
            /** @description The phase of the node. */
            phase: components["schemas"]["NodePhase"];
            /**
             * Format: date-time
             * @description Since when it has the pool.
             */
            since: string;
            /** @description The takeover at the time in `since`. */
            takeover: components["schemas"]["TakeoverView"];
        };
        /**
         * @description What a bucket costs in a month, at the prices in the settings and in their currency: requests as since the pool was opened, and what is stored
         *     now.
         */
        ObjectCostView: {
            /**
             * Format: double
             * @description Requests that read objects or ask about them.
             */
            reads: number;
            /**
             * Format: double
             * @description Stored bytes.
             */
            stored: number;
            /**
             * Format: double
             * @description All of it.
             */
            total: number;
            /**
             * Format: double
             * @description Requests that store, copy or list objects.
             */
            writes: number;
        };
        /** @description The bucket that has the pool's segments. Counters begin when the daemon opens the pool. */
        ObjectStoreView: {
            /**
             * Format: uint64
             * @description Bytes that were read.
             */
            bytes_got: number;
            /**
             * Format: uint64
             * @description Bytes of objects that were stored.
             */
            bytes_put: number;
            /**
             * Format: uint64
             * @description Bytes of the cache on the disk.
             */
            cache_disk_bytes: number;
            /**
             * Format: uint64
             * @description Blocks that readers found in the cache of this machine.
             */
            cache_hits: number;
            /**
             * Format: uint64
             * @description Bytes of the cache in memory.
             */
            cache_memory_bytes: number;
            /**
             * Format: uint64
             * @description Blocks that were read from the bucket.
             */
            cache_misses: number;
            /**
             * Format: uint64
             * @description Copies within the bucket.
             */
            copy: number;
            cost_per_month?: components["schemas"]["ObjectCostView"] | null;
            /**
             * Format: uint64
             * @description Requests that delete an object.
             */
            delete: number;
            /**
             * Format: uint64
             * @description Requests that read an object or a part of one.
             */
            get: number;
            /**
             * Format: uint64
             * @description Questions for an object's length.
             */
            head: number;
            /**
             * Format: uint64
             * @description Pages of lists.
             */
            list: number;
            /**
             * Format: uint64
             * @description For how many milliseconds the bucket has not answered as it should; 0 while it does.
             */
            out_for_ms: number;
            /** @description The bucket and the prefix: `s3://BUCKET/PREFIX`. */
            place: string;
            /**
             * Format: uint64
             * @description Requests that store an object. Here and below, repeated requests count.
             */
            put: number;
            /**
             * Format: uint64
             * @description Requests that failed and were repeated.
             */
            repeated: number;
        };
        /** @description An object. */
        ObjectView: {
            /** @description The media type that was given. */
            content_type?: string | null;
            /** @description The ETag, without quotes. */
            etag: string;
            /** @description The key. */
            key: string;
            /**
             * Format: date-time
             * @description When it was written.
             */
            modified: string;
            /** @description The S3 user who owns it. */
            owner: string;
            /**
             * Format: uint64
             * @description Size in bytes.
             */
            size: number;
            /** @description The id of the version: `null`, or 16 hexadecimal digits. */
            version: string;
        };
        /** @description A page of a bucket's objects, by key. */
        ObjectsView: {
            /** @description The objects. */
            items: components["schemas"]["ObjectView"][];
            /** @description The `after` of the next page; null if there is none. */
            next?: string | null;
            /** @description Common prefixes of keys that have the delimiter behind the prefix. */
            prefixes: string[];
        };
        /** @description Offsets of records. */
        OffsetsView: {
            /**
             * Format: uint64
             * @description The least offset that a record has.
             */
            first: number;
            /**
             * Format: uint64
             * @description The greatest offset that a record has; not less than `first`.
             */
            last: number;
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
        /** @description Changes to a policy. Its rules are changed one by one, or replaced with PUT. */
        PolicyEdit: {
            /** @description Another name. Volumes that use the policy follow. */
            name: string;
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
            /**
             * Format: uint64
             * @description Bytes of file data in deleted volumes, which still take space.
             */
            deleted_bytes_logical: number;
            /**
             * Format: date-time
             * @description When the next deleted volume is purged; null if there is none.
             */
            deleted_until?: string | null;
            /**
             * Format: uint64
             * @description Number of deleted volumes that can be recovered.
             */
            deleted_volumes: number;
            /** @description The pool's directory. */
            directory: string;
            efficiency?: components["schemas"]["EfficiencyView"] | null;
            /** @description The pool's format. */
            format: components["schemas"]["FormatView"];
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
            /** @description The copies of the metadata. */
            metadata: components["schemas"]["MetadataView"];
            object_store?: components["schemas"]["ObjectStoreView"] | null;
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
        /** @description Blocks of public access to a bucket. */
        PublicAccessBlock: {
            /** @description Refuse ACLs that grant something to everyone. */
            block_public_acls?: boolean;
            /** @description Refuse a policy that is public. */
            block_public_policy?: boolean;
            /** @description Disregard ACLs that grant something to everyone. */
            ignore_public_acls?: boolean;
            /** @description Give requests without a signature nothing by a policy that is public. */
            restrict_public_buckets?: boolean;
        };
        /** @description Options for the recovery of a deleted volume. Fields that are absent keep their former values. */
        RecoverVolume: {
            /** @description Another export policy. */
            export?: string;
            /** @description Another name. */
            name?: string;
            /** @description Another path that clients mount. If it is absent and the path was `/` and the old name, it follows the name. */
            path?: string;
        };
        /** @description A start of the daemon. */
        RestartView: {
            /**
             * Format: uint64
             * @description When it was, in seconds since 1970.
             */
            at: number;
            /** @description Whether the stop before it was clean; null if it was the pool's first start, or if that is not known. */
            clean?: boolean | null;
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
            /**
             * Format: uint32
             * @description The position of an earlier rule for all of these clients, so that this one is never reached; null if there is none.
             */
            never_reached?: number | null;
            /** @description How callers identify themselves. */
            security: components["schemas"]["Security"];
            /** @description The clients' users that the server maps to the anonymous user. */
            squash: components["schemas"]["Squash"];
            /** @description Whether connections must use TLS. */
            tls: components["schemas"]["TlsUse"];
        };
        /** @description An S3 group. Its policies give its members their rights. */
        S3GroupView: {
            /** @description Whether it is built in: only its members can be changed. */
            built_in: boolean;
            /**
             * Format: date-time
             * @description When the group was created.
             */
            created: string;
            /** @description The names of its users. */
            members: string[];
            /** @description The group's name. */
            name: string;
            /** @description The names of its policies. */
            policies: string[];
        };
        /** @description A newly created access key. */
        S3KeyCreated: {
            /** @description The key's properties. */
            key: components["schemas"]["S3KeyView"];
            /** @description The secret access key. It cannot be retrieved again. */
            secret: string;
        };
        /** @description Changes to an access key. Fields that are absent stay unchanged. */
        S3KeyEdit: {
            /** @description Whether requests with the key are refused. */
            disabled?: boolean;
        };
        /** @description An access key, without its secret. */
        S3KeyView: {
            /**
             * Format: date-time
             * @description When it was created.
             */
            created: string;
            /** @description Whether requests with the key are refused. */
            disabled: boolean;
            /**
             * Format: date-time
             * @description When it expires; null means never.
             */
            expires?: string | null;
            /** @description The access key id, which is no secret. */
            id: string;
            /**
             * Format: date-time
             * @description When it was last used; may be a minute old after a crash.
             */
            last_used?: string | null;
            /** @description Whether its secret can be decrypted. If not, the key file has changed, and the user needs a new key. */
            usable: boolean;
            /** @description The user that the key belongs to. */
            user: string;
        };
        /** @description A policy in the policy language of AWS, as it was put. */
        S3PolicyDocument: {
            /** @description A statement, or a list of statements. */
            Statement: unknown;
        };
        /** @description Changes to an S3 user. Fields that are absent stay unchanged. */
        S3UserEdit: {
            /** @description Whether all requests of the user are refused. */
            disabled?: boolean;
        };
        /** @description An S3 user. */
        S3UserView: {
            /**
             * Format: date-time
             * @description When the user was created.
             */
            created: string;
            /** @description Whether all requests of the user are refused. */
            disabled: boolean;
            /** @description The user's groups. */
            groups: string[];
            /** @description The user's id, which policies know as `aws:userid`. A new user of the same name has another one. */
            id: string;
            /** @description The user's access keys, without their secrets. */
            keys: components["schemas"]["S3KeyView"][];
            /** @description The user's name. */
            name: string;
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
        /** @description A setting that the daemon runs with. */
        SettingView: {
            /** @description Whether that is the default. */
            is_default: boolean;
            /** @description The key in the section. */
            key: string;
            /** @description The section of the configuration file. */
            section: string;
            /** @description The value, as in the file. */
            value: string;
        };
        /**
         * @description The severity of an event.
         * @enum {string}
         */
        Severity: "info" | "warning" | "error";
        /** @description Alerts that count for nothing and are not delivered until a time. */
        SilenceView: {
            /** @description The user who asked for it. */
            by: string;
            /** @description Why. */
            comment: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created: string;
            /**
             * Format: uint64
             * @description Its number.
             */
            id: number;
            /** @description Only alerts of this object; null: of all objects. */
            object?: string | null;
            /** @description Only alerts of this rule; null: of all rules. */
            rule?: string | null;
            /**
             * Format: date-time
             * @description When it ends.
             */
            until: string;
        };
        /** @description Changes to a snapshot. Fields that are absent stay unchanged. */
        SnapshotEdit: {
            /**
             * Format: date-time
             * @description When the snapshot is deleted automatically, in UTC; null means never.
             */
            expires?: string | null;
            /**
             * Format: date-time
             * @description Until when nobody can delete the snapshot, in UTC. A lock can be made longer, and never shorter. Requires the role admin.
             */
            locked_until?: string;
            /** @description Another name. */
            name?: string;
        };
        /** @description The space that the deletion of a snapshot would free. */
        SnapshotFreesView: {
            /**
             * Format: uint64
             * @description Bytes that its deletion frees, if no other one is deleted. What it shares with another snapshot is not among them.
             */
            frees_bytes: number;
            /** @description The snapshot's name. */
            name: string;
        };
        /** @description The space that the deletion of each snapshot of a volume would free. */
        SnapshotSpaceView: {
            /**
             * Format: date-time
             * @description When it was calculated.
             */
            as_of: string;
            /** @description Whether it is an estimate from a sample, because the volume is large. */
            estimate: boolean;
            /** @description The snapshots, by age. */
            items: components["schemas"]["SnapshotFreesView"][];
        };
        /** @description A snapshot. */
        SnapshotView: {
            /**
             * Format: uint64
             * @description Bytes of file data, holes excluded.
             */
            bytes_logical: number;
            /** @description Volumes that are clones of the snapshot. */
            clones: string[];
            /** @description Deleted volumes that are clones of the snapshot and can be recovered. They keep it, too. */
            clones_deleted: string[];
            /**
             * Format: date-time
             * @description When it was taken.
             */
            created: string;
            /**
             * Format: date-time
             * @description When it is deleted automatically; null means never.
             */
            expires?: string | null;
            /** @description Whether it was taken for a clone, and is deleted with the clone. */
            for_clone: boolean;
            /**
             * Format: date-time
             * @description Until when nobody can delete it; null if it is not locked.
             */
            locked_until?: string | null;
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
        /** @description Whether the daemon is healthy, who is affected, what changed, who does it, and how long it will last. */
        StatusView: {
            /** @description The alerts that fire, the gravest first, with those that are silenced. */
            alerts: components["schemas"]["AlertView"][];
            /** @description The clients that read and write most now. */
            busiest_clients: components["schemas"]["FlowView"][];
            /** @description The volumes that read and write most now. */
            busiest_volumes: components["schemas"]["FlowView"][];
            /** @description Space. */
            capacity: components["schemas"]["CapacityView"];
            /** @description The latest changes, newest first: starts, configuration, revoked state. */
            changes: components["schemas"]["EventView"][];
            /** @description The clients. */
            clients: components["schemas"]["ClientsView"];
            /** @description The fsyncs of brokers. */
            commit: components["schemas"]["CommitView"];
            /** @description The directory of the pool. */
            directory: string;
            /**
             * Format: date-time
             * @description When the rules were evaluated; null right after the start.
             */
            evaluated?: string | null;
            grace?: components["schemas"]["GraceView"] | null;
            /** @description How the daemon was stopped before its last start. */
            last_stop: components["schemas"]["LastStop"];
            /** @description The node that serves; null if no other node can serve the pool. */
            node?: string | null;
            /** @description The daemon's release. */
            release: string;
            /**
             * Format: date-time
             * @description When the daemon started.
             */
            started: string;
            /** @description The status. */
            status: components["schemas"]["HealthStatus"];
        };
        /**
         * @description Whether commits wait for another machine.
         * @enum {string}
         */
        SynchronousState: "guarded" | "unguarded" | "missing" | "unknown";
        /**
         * @description Why the pool came to the node.
         * @enum {string}
         */
        TakeoverKind: "first" | "restarted" | "moved" | "fenced";
        /** @description The takeover of a pool by its node. Times are in milliseconds. */
        TakeoverView: {
            /**
             * Format: uint64
             * @description Duration of the takeover of the addresses.
             */
            address_ms?: number | null;
            /**
             * Format: uint64
             * @description Duration of the fencing; null if none was needed.
             */
            fence_ms?: number | null;
            /** @description The node that had it before; none if there was none. */
            from?: string | null;
            /** @description Why the pool came to the node. */
            kind: components["schemas"]["TakeoverKind"];
            /**
             * Format: uint64
             * @description Duration of the opening of the pool.
             */
            open_ms?: number | null;
            /**
             * Format: uint64
             * @description Duration of that node's silence; 0 if it released the pool.
             */
            silent_ms: number;
        };
        /** @description The outcome of a test of a target. */
        TargetTestView: {
            /** @description Whether the target took the notice. */
            delivered: boolean;
            /** @description Why not. */
            error?: string | null;
        };
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
        /** @description A version of an object, or a delete marker. */
        VersionView: components["schemas"]["ObjectView"] & {
            /** @description Whether it is a delete marker, which has no content. */
            delete_marker: boolean;
            /** @description Whether it is the latest version of its key. */
            latest: boolean;
            /** @description Whether a legal hold keeps it from being removed. */
            legal_hold: boolean;
            /**
             * Format: date-time
             * @description Until when it is retained.
             */
            retain_until?: string | null;
            retention_mode?: components["schemas"]["LockMode"] | null;
        };
        /**
         * @description Whether a bucket keeps older versions of its objects.
         * @enum {string}
         */
        Versioning: "unversioned" | "enabled" | "suspended";
        /** @description A page of a bucket's versions, by key, the newest first. */
        VersionsView: {
            /** @description The versions and delete markers. */
            items: components["schemas"]["VersionView"][];
            /** @description The `after` of the next page; null if there is none. */
            next?: string | null;
            /** @description The `after_version` of the next page; null if that begins with another key. */
            next_version?: string | null;
            /** @description Common prefixes of keys that have the delimiter behind the prefix. */
            prefixes: string[];
        };
        /** @description A client that has files of a volume open. */
        VolumeClientView: {
            /** @description The address it registered from. */
            address: string;
            /** @description The client's id, in hexadecimal. */
            client: string;
            /**
             * Format: uint64
             * @description Number of its open files in the volume.
             */
            open_files: number;
            /** @description The owner string that the client sends. */
            owner: string;
        };
        /** @description The clients that have files of a volume open. */
        VolumeClientsView: {
            /**
             * Format: uint64
             * @description Number of clients that have a file open.
             */
            clients: number;
            /** @description The clients with the most open files, at most twenty. */
            items: components["schemas"]["VolumeClientView"][];
            /**
             * Format: uint64
             * @description Number of opens of all clients.
             */
            open_files: number;
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
            /** @description All labels of the volume, by key. */
            labels?: {
                [key: string]: string;
            };
            /**
             * Format: uint64
             * @description Maximum bytes per second that clients may read and write; null means no limit.
             */
            max_bytes_per_second?: number | null;
            /** @description Permission bits of the root directory, in octal. */
            mode?: string;
            /** @description Another name. The path follows if it is `/` and the old name, unless another one is given. */
            name?: string;
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
            /** @description Labels of the volume, by key, such as its owner. */
            labels?: {
                [key: string]: string;
            };
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
        /** @description The space of a volume. */
        VolumeSpaceView: {
            /**
             * Format: uint64
             * @description Bytes that it has used.
             */
            bytes_used: number;
            forecast?: components["schemas"]["ForecastView"] | null;
            /**
             * Format: uint64
             * @description Seconds until it is full at the rate of the last hours; null if it does not fill up, or if that is not known.
             */
            full_in_seconds?: number | null;
            /** @description The volume. */
            name: string;
            /**
             * Format: uint64
             * @description Its size in bytes.
             */
            size: number;
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
            efficiency?: components["schemas"]["EfficiencyView"] | null;
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
            /** @description Labels of the volume, by key. */
            labels?: {
                [key: string]: string;
            };
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
    target_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The targets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_AlertTargetView"];
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
    target_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The target's name in the file of targets. */
                target: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcome of the test */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetTestView"];
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
            /** @description There is no such target */
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
    alert_list: {
        parameters: {
            query?: {
                /** @description Only alerts in this state. Without it, all that fire, and then the last hundred that were resolved. */
                state?: components["schemas"]["AlertState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alerts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_AlertView"];
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
    alert_acknowledge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The alert's id. */
                alert: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Acknowledge"];
            };
        };
        responses: {
            /** @description The alert */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertView"];
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
            /** @description No such alert fires */
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
    alert_unacknowledge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The alert's id. */
                alert: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alert is not acknowledged */
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
            /** @description The alert was not acknowledged */
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
    bucket_list: {
        parameters: {
            query?: {
                /** @description Return only buckets whose names begin with this. */
                prefix?: string;
                /** @description Return only buckets behind this name. */
                after?: string;
                /** @description Maximum number of buckets, by name; default 1000. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of buckets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_BucketView"];
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
            /** @description S3 is not served */
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
        };
    };
    bucket_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBucket"];
            };
        };
        responses: {
            /** @description The bucket */
            201: {
                headers: {
                    /** @description The bucket */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BucketView"];
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
            /** @description The owner does not exist */
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
            /** @description A bucket or a volume has that name, or S3 is not served */
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
    bucket_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bucket */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BucketView"];
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
            /** @description S3 is not served */
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
        };
    };
    bucket_delete: {
        parameters: {
            query?: {
                /** @description Proceed even if data is lost. Requires the role admin. */
                force?: boolean;
            };
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bucket was deleted */
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
            /** @description The bucket has objects or older versions, or S3 is not served */
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
    bucket_change: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BucketEdit"];
            };
        };
        responses: {
            /** @description The changed bucket */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BucketView"];
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
            /** @description The bucket holds more than the new size, it has object lock and so keeps versions, or S3 is not served */
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
    bucket_cors_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CorsRules"];
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
            /** @description S3 is not served */
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
        };
    };
    bucket_cors_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorsRules"];
            };
        };
        responses: {
            /** @description The rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CorsRules"];
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
            /** @description S3 is not served */
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
    bucket_cors_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules were deleted */
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
            /** @description S3 is not served */
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
    bucket_efficiency: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The storage efficiency */
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
            /** @description There is no object of that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description S3 is not served */
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
        };
    };
    bucket_lifecycle_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LifecycleRules"];
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
            /** @description S3 is not served */
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
        };
    };
    bucket_lifecycle_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LifecycleRules"];
            };
        };
        responses: {
            /** @description The rules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LifecycleRules"];
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
            /** @description S3 is not served */
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
    bucket_lifecycle_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules were deleted */
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
            /** @description S3 is not served */
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
    object_list: {
        parameters: {
            query?: {
                /** @description Return only keys that begin with this. */
                prefix?: string;
                /** @description Return one common prefix for all keys that have this behind the prefix, such as `/`. */
                delimiter?: string;
                /** @description Return only keys and common prefixes behind this one. */
                after?: string;
                /** @description Maximum number of keys and common prefixes; default 1000. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of objects */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObjectsView"];
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
            /** @description S3 is not served */
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
        };
    };
    object_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewObject"];
            };
        };
        responses: {
            /** @description The object */
            201: {
                headers: {
                    /** @description The objects of the bucket */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObjectView"];
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
            /** @description The bucket, the volume or the file does not exist */
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
            /** @description The key is taken, the file is being changed, or is not the log segment that was described, or S3 is not served */
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
            /** @description The bucket has reached its size */
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
    bucket_policy_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
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
                    "application/json": components["schemas"]["S3PolicyDocument"];
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
            /** @description S3 is not served */
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
        };
    };
    bucket_policy_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["S3PolicyDocument"];
            };
        };
        responses: {
            /** @description The policy is in force */
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
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The policy is public, and the bucket's public access block refuses that; or S3 is not served */
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
    bucket_policy_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
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
            /** @description S3 is not served */
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
    version_list: {
        parameters: {
            query?: {
                /** @description Return only keys that begin with this. */
                prefix?: string;
                /** @description Return one common prefix for all keys that have this behind the prefix, such as `/`. */
                delimiter?: string;
                /** @description Return only keys and common prefixes behind this one. */
                after?: string;
                /** @description Return also versions of the key `after` that are older than this one. */
                after_version?: string;
                /** @description Maximum number of versions and common prefixes; default 1000. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The bucket's name. */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionsView"];
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
            /** @description S3 is not served */
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
        };
    };
    capacity_show: {
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
            /** @description The days and the forecast */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapacityHistoryView"];
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
    cluster_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pools */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterView"];
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
            /** @description The pool does not lie in a database */
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
    cluster_move: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClusterMoveRequest"];
            };
        };
        responses: {
            /** @description The daemon stops */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeView"];
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
            /** @description The pool does not lie in a database */
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
            /** @description The node does not wait for the pool */
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
    cluster_release: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ClusterReleaseRequest"];
            };
        };
        responses: {
            /** @description The daemon stops */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeView"];
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
            /** @description The pool does not lie in a database */
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
            /** @description No node waits for the pool */
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
    config_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All settings, by section */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SettingView"];
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
    deleted_volume_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted volumes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_DeletedVolumeView"];
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
    deleted_volume_show: {
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
            /** @description The deleted volume */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedVolumeView"];
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
            /** @description There is no such deleted volume */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Several deleted volumes have this name */
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
        };
    };
    deleted_volume_purge: {
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
            /** @description The volume was purged */
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
            /** @description There is no such deleted volume */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description Several deleted volumes have this name, or a snapshot is locked */
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
    deleted_volume_recover: {
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
                "application/json": components["schemas"]["RecoverVolume"];
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
            /** @description There is no such deleted volume, or its export policy no longer exists */
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
            /** @description Several deleted volumes have this name, or the name or the path is in use */
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
    policy_change: {
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
                "application/json": components["schemas"]["PolicyEdit"];
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
            /** @description The name is already in use, or the policy is `default` */
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
            /** @description The pool has stopped */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthView"];
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
    kafka_cleanup_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The directories, the largest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaCleanupView"];
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
    kafka_cluster_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clusters */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaClustersView"];
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
            /** @description There is no report yet, or Kafka views are off */
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
        };
    };
    kafka_broker_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The cluster, as `GET /kafka/clusters` names it. */
                cluster: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The brokers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaBrokersView"];
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
            /** @description The cluster does not exist */
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
    kafka_cost_show: {
        parameters: {
            query?: {
                /** @description The price of 10^12 stored bytes in a month, in any currency. */
                price?: number;
                /** @description Which topics share a row. */
                group_by?: "topic" | "prefix";
            };
            header?: never;
            path: {
                /** @description The cluster, as `GET /kafka/clusters` names it. */
                cluster: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The costs, the highest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaCostView"];
                };
            };
            /** @description The price is not a price */
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
            /** @description The cluster does not exist */
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
    kafka_cluster_history: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The cluster, as `GET /kafka/clusters` names it. */
                cluster: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaHistoryView"];
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
            /** @description The cluster does not exist */
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
    kafka_topic_list: {
        parameters: {
            query?: {
                /**
                 * @description The field to sort by, largest first: `name`, `stored`, `files`, `growth`, `grown`, `written`, `age`, `peers` or `ratio`. `grown` is the growth of the last day, and `peers` the age
                 *     of the oldest record against that of other replicas. Names are in alphabetical order.
                 */
                sort?: string;
                /** @description Only topics whose name has this text in it. */
                filter?: string;
                /** @description The maximum number of topics. */
                limit?: number;
                /** @description Continue after this topic. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The cluster, as `GET /kafka/clusters` names it. */
                cluster: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The topics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaTopicsView"];
                };
            };
            /** @description The field to sort by does not exist */
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
            /** @description The cluster does not exist */
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
    kafka_topic_show: {
        parameters: {
            query?: {
                /**
                 * @description Count all chunks of the topic now, instead of using the last report. Takes long for large topics; one such request is
                 *     processed at a time.
                 */
                exact?: boolean;
            };
            header?: never;
            path: {
                /** @description The cluster, as `GET /kafka/clusters` names it. */
                cluster: string;
                /** @description The topic. */
                topic: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The topic */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaTopicDetailView"];
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
            /** @description The cluster or the topic does not exist */
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
    kafka_topic_history: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The cluster, as `GET /kafka/clusters` names it. */
                cluster: string;
                /** @description The topic. */
                topic: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The days; none if a thousand topics store more */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaHistoryView"];
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
            /** @description The cluster or the topic does not exist */
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
    kafka_sharing_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The cluster, as `GET /kafka/clusters` names it. */
                cluster: string;
                /** @description The topic. */
                topic: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A matrix of partitions and brokers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaSharingView"];
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
            /** @description The cluster or the topic does not exist */
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
    kafka_what_if: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The cluster, as `GET /kafka/clusters` names it. */
                cluster: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KafkaQuestion"];
            };
        };
        responses: {
            /** @description What the changes would return */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaAnswerView"];
                };
            };
            /** @description A change lacks what its kind needs */
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
            /** @description The cluster does not exist */
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
    node_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The node */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeView"];
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
            /** @description No other node can serve the pool */
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
    node_release: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The daemon stops */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeView"];
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
            /** @description No other node can serve the pool */
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
    backups_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backups */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsView"];
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
    backup_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BackupRequest"];
            };
        };
        responses: {
            /** @description The backup has started */
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
            /** @description A directory was named, and the role is not admin */
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
            /** @description A backup is already being made */
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
            /** @description The storage efficiency */
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
    pool_finalize: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The format */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormatView"];
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
    pool_speed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The measurement */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiskSpeedView"];
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
    s3_group_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All groups */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_S3GroupView"];
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
            /** @description S3 is not served */
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
        };
    };
    s3_group_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewS3Group"];
            };
        };
        responses: {
            /** @description The group */
            201: {
                headers: {
                    /** @description The group */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3GroupView"];
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
            /** @description The name is already in use, the maximum number of groups is reached, or S3 is not served */
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
    s3_group_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's name. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3GroupView"];
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
            /** @description S3 is not served */
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
        };
    };
    s3_group_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's name. */
                group: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group was deleted */
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
            /** @description The group is built in, or S3 is not served */
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
    s3_member_add: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's name. */
                group: string;
                /** @description The user's name. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3GroupView"];
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
            /** @description S3 is not served */
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
    s3_member_remove: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's name. */
                group: string;
                /** @description The user's name. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user was removed from the group */
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
            /** @description S3 is not served */
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
    s3_policy_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's name. */
                group: string;
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
                    "application/json": components["schemas"]["S3PolicyDocument"];
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
            /** @description S3 is not served */
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
        };
    };
    s3_policy_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's name. */
                group: string;
                /** @description The policy's name. */
                policy: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["S3PolicyDocument"];
            };
        };
        responses: {
            /** @description The group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3GroupView"];
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
                    "application/json": components["schemas"]["S3GroupView"];
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
            /** @description The group is built in, it has as many policies as a group can have, or S3 is not served */
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
    s3_policy_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The group's name. */
                group: string;
                /** @description The policy's name. */
                policy: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The policy was removed */
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
            /** @description The group is built in, or S3 is not served */
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
    s3_user_list: {
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
                    "application/json": components["schemas"]["List_S3UserView"];
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
            /** @description S3 is not served */
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
        };
    };
    s3_user_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewS3User"];
            };
        };
        responses: {
            /** @description The user */
            201: {
                headers: {
                    /** @description The user */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3UserView"];
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
            /** @description The name is already in use, the maximum number of users is reached, or S3 is not served */
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
    s3_user_show: {
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
                    "application/json": components["schemas"]["S3UserView"];
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
            /** @description S3 is not served */
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
        };
    };
    s3_user_delete: {
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
            /** @description S3 is not served */
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
    s3_user_change: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["S3UserEdit"];
            };
        };
        responses: {
            /** @description The changed user */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3UserView"];
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
            /** @description S3 is not served */
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
    s3_key_list: {
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
            /** @description The keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_S3KeyView"];
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
            /** @description S3 is not served */
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
        };
    };
    s3_key_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                user: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewS3Key"];
            };
        };
        responses: {
            /** @description The key, with its secret */
            201: {
                headers: {
                    /** @description The key */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3KeyCreated"];
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
            /** @description The user has two keys, or S3 is not served */
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
    s3_key_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                user: string;
                /** @description The access key id. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3KeyView"];
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
            /** @description S3 is not served */
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
        };
    };
    s3_key_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                user: string;
                /** @description The access key id. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key was deleted */
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
            /** @description S3 is not served */
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
    s3_key_change: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The user's name. */
                user: string;
                /** @description The access key id. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["S3KeyEdit"];
            };
        };
        responses: {
            /** @description The changed key */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["S3KeyView"];
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
            /** @description S3 is not served */
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
    silence_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The silences that have not ended */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List_SilenceView"];
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
    silence_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSilence"];
            };
        };
        responses: {
            /** @description The silence */
            201: {
                headers: {
                    /** @description The silence */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SilenceView"];
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
            /** @description The maximum number of silences is reached */
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
    silence_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The silence's number. */
                silence: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The silence is over */
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
            /** @description There is no such silence */
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
    status_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusView"];
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
            query?: {
                /** @description Only volumes with this label: `KEY` or `KEY=VALUE`. */
                label?: string;
            };
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
                /** @description Proceed even if it has files or snapshots. Requires the role admin. */
                force?: boolean;
                /** @description Free its space at once, so that it cannot be recovered. */
                now?: boolean;
                /** @description If it is a clone, keep the snapshot `clone-NAME` that was taken for it. */
                keep_snapshot?: boolean;
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
            /** @description The name or the path is already in use, or the volume holds more data than the new size */
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
    volume_access: {
        parameters: {
            query: {
                /** @description The client's IP address. */
                client: string;
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
            /** @description The rule that applies */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessView"];
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
    volume_clients: {
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
            /** @description The clients */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VolumeClientsView"];
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
    snapshot_space_show: {
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
            /** @description The space that each deletion would free */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotSpaceView"];
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
    snapshot_change: {
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
                "application/json": components["schemas"]["SnapshotEdit"];
            };
        };
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
            /** @description The body did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The name is in use, or the snapshot is locked for longer */
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
    kafka_snapshot_show: {
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
            /** @description The topics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaSnapshotView"];
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
            /** @description The volume or the snapshot does not exist */
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
    kafka_snapshot_topic_show: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The volume's name, or `id:` and its id. */
                volume: string;
                /** @description The snapshot's name. */
                snapshot: string;
                /** @description The topic. */
                topic: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The topic */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KafkaSnapshotTopicDetailView"];
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
            /** @description The volume, the snapshot or the topic does not exist */
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

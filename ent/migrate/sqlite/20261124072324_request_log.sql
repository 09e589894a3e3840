-- Create "request_logs" table
CREATE TABLE `request_logs` (`store_id` blob NOT NULL, `id` blob NOT NULL, `subject_id` blob NOT NULL, `app_store_id` blob NULL, `caller_store_id` blob NULL, `method` text NOT NULL, `route` text NOT NULL, `resource` text NULL, `status` integer NOT NULL, `code` text NULL, `duration` integer NOT NULL, `omitted` integer NOT NULL DEFAULT (0), PRIMARY KEY (`store_id`, `id`));
-- Create index "requestlog_store_id_subject_id_id" to table: "request_logs"
CREATE INDEX `requestlog_store_id_subject_id_id` ON `request_logs` (`store_id`, `subject_id`, `id`);

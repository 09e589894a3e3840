-- Create "reports" table
CREATE TABLE `reports` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `first_day` text NOT NULL, `last_day` text NOT NULL, `timezone` text NOT NULL, `currency` text NOT NULL, `status` text NOT NULL, `tries` integer NOT NULL DEFAULT (0), `due_at` integer NULL, `completed_at` integer NULL, `result` blob NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "report_bucket_due_at" to table: "reports"
CREATE INDEX `report_bucket_due_at` ON `reports` (`bucket`, `due_at`);

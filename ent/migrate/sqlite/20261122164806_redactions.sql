-- Add column "about_id" to table: "idempotency_keys"
ALTER TABLE `idempotency_keys` ADD COLUMN `about_id` blob NULL;
-- Create "redactions" table
CREATE TABLE `redactions` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `due_at` integer NOT NULL, `step` text NOT NULL, `position` blob NULL, `place` integer NOT NULL DEFAULT (0), `begun_at` integer NOT NULL, `clean_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "redaction_bucket_due_at" to table: "redactions"
CREATE INDEX `redaction_bucket_due_at` ON `redactions` (`bucket`, `due_at`);
-- Create index "redaction_bucket_begun_at" to table: "redactions"
CREATE INDEX `redaction_bucket_begun_at` ON `redactions` (`bucket`, `begun_at`);

-- Modify "idempotency_keys" table
ALTER TABLE `idempotency_keys` ADD COLUMN `about_id` binary(16) NULL;
-- Create "redactions" table
CREATE TABLE `redactions` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `bucket` tinyint NOT NULL, `due_at` bigint NOT NULL, `step` varbinary(16) NOT NULL, `position` binary(16) NULL, `place` bigint NOT NULL DEFAULT 0, `begun_at` bigint NOT NULL, `clean_at` bigint NULL, PRIMARY KEY (`store_id`, `id`), INDEX `redaction_bucket_begun_at` (`bucket`, `begun_at`), INDEX `redaction_bucket_due_at` (`bucket`, `due_at`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;

-- Modify "exports" table
ALTER TABLE `exports` ADD COLUMN `endpoint_id` binary(16) NULL;

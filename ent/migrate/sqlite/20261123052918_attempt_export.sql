-- Add column "endpoint_id" to table: "exports"
ALTER TABLE `exports` ADD COLUMN `endpoint_id` blob NULL;

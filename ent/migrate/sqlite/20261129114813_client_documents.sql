-- Add column "metadata_url" to table: "apps"
ALTER TABLE `apps` ADD COLUMN `metadata_url` text NULL;
-- Add column "resource" to table: "grants"
ALTER TABLE `grants` ADD COLUMN `resource` text NULL;

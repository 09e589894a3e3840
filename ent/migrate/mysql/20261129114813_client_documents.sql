-- Modify "apps" table
ALTER TABLE `apps` ADD COLUMN `metadata_url` varchar(2048) NULL;
-- Modify "grants" table
ALTER TABLE `grants` ADD COLUMN `resource` varbinary(1024) NULL;

-- Modify "webhook_endpoints" table
ALTER TABLE `webhook_endpoints` ADD COLUMN `selection` varbinary(4096) NULL;

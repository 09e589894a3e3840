-- Add column "selection" to table: "webhook_endpoints"
ALTER TABLE `webhook_endpoints` ADD COLUMN `selection` text NULL;

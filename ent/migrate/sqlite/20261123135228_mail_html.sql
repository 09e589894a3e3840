-- Add column "html" to table: "mails"
ALTER TABLE `mails` ADD COLUMN `html` text NULL;
-- Add column "sender_name" to table: "mails"
ALTER TABLE `mails` ADD COLUMN `sender_name` text NULL;

-- Modify "mails" table
ALTER TABLE `mails` ADD COLUMN `html` mediumtext NULL, ADD COLUMN `sender_name` varchar(255) NULL;

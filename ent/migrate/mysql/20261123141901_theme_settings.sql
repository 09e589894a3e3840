-- Modify "themes" table
ALTER TABLE `themes` ADD COLUMN `settings` mediumblob NULL, ADD COLUMN `draft_settings` mediumblob NULL;

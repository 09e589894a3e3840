-- Add column "settings" to table: "themes"
ALTER TABLE `themes` ADD COLUMN `settings` blob NULL;
-- Add column "draft_settings" to table: "themes"
ALTER TABLE `themes` ADD COLUMN `draft_settings` blob NULL;

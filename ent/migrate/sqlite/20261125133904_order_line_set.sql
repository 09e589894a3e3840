-- Add column "line_set" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `line_set` blob NULL;
-- Add column "line_set_version" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `line_set_version` integer NULL;

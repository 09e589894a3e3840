-- Add column "line_set" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `line_set` blob NULL;
-- Add column "line_set_version" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `line_set_version` integer NULL;
-- Create "line_walks" table
CREATE TABLE `line_walks` (`store_id` blob NOT NULL, `id` blob NOT NULL, `changed` integer NOT NULL, `behind` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));

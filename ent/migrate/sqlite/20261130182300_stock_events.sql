-- Add column "stock_events" to table: "stores"
ALTER TABLE `stores` ADD COLUMN `stock_events` bool NOT NULL DEFAULT false;
-- Create "inventory_marks" table
CREATE TABLE `inventory_marks` (`store_id` blob NOT NULL, `product_id` blob NOT NULL, `id` blob NOT NULL, `due_at` integer NOT NULL, PRIMARY KEY (`store_id`, `product_id`, `id`));

-- Modify "order_returns" table
ALTER TABLE `order_returns` ADD COLUMN `withdrawal` bool NOT NULL DEFAULT 0, ADD COLUMN `name` mediumtext NULL, ADD COLUMN `email` mediumtext NULL;

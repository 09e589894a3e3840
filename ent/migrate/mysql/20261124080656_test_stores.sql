-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `test` bool NOT NULL DEFAULT 0;

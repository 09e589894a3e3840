-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `limits` blob NULL;

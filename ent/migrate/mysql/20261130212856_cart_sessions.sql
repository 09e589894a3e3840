-- Modify "carts" table
ALTER TABLE `carts` ADD COLUMN `session` blob NULL;

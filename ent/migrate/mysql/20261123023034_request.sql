-- Modify "attempts" table
ALTER TABLE `attempts` ADD COLUMN `request` blob NULL;
-- Modify "delivery_logs" table
ALTER TABLE `delivery_logs` ADD COLUMN `request` blob NULL;

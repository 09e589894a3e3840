-- Create "sales_intervals" table
CREATE TABLE `sales_intervals` (`store_id` blob NOT NULL, `id` blob NOT NULL, `orders` integer NOT NULL, `total_high` integer NOT NULL, `total_low` integer NOT NULL, PRIMARY KEY (`store_id`, `id`)) WITHOUT ROWID;
-- Create "sales_pendings" table
CREATE TABLE `sales_pendings` (`store_id` blob NOT NULL, `id` blob NOT NULL, `token` blob NOT NULL, PRIMARY KEY (`store_id`, `id`)) WITHOUT ROWID;
-- Create "sales_walks" table
CREATE TABLE `sales_walks` (`store_id` blob NOT NULL, `id` blob NOT NULL, `behind` blob NOT NULL, `token` blob NOT NULL, `done` bool NOT NULL DEFAULT (false), PRIMARY KEY (`store_id`, `id`));

-- Create "imports" table
CREATE TABLE `imports` (`store_id` blob NOT NULL, `id` blob NOT NULL, `made_id` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));

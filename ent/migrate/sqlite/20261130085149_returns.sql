-- Create "order_returns" table
CREATE TABLE `order_returns` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `order_id` blob NOT NULL, `state` text NOT NULL, `lines` blob NOT NULL, `by_shopper` bool NOT NULL DEFAULT (false), `note` text NULL, `answer` text NULL, `label_url` text NULL, `refunded_minor` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "orderreturn_store_id_order_id_id" to table: "order_returns"
CREATE INDEX `orderreturn_store_id_order_id_id` ON `order_returns` (`store_id`, `order_id`, `id`);
-- Create index "orderreturn_store_id_state_id" to table: "order_returns"
CREATE INDEX `orderreturn_store_id_state_id` ON `order_returns` (`store_id`, `state`, `id`);

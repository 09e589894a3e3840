-- Create "shopper_passkeys" table
CREATE TABLE `shopper_passkeys` (`store_id` blob NOT NULL, `id` blob NOT NULL, `credential` blob NOT NULL, `customer_id` blob NOT NULL, `email` text NOT NULL, `host` text NOT NULL, `agent` text NOT NULL, `data` blob NOT NULL, `step` integer NOT NULL, `used_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "shopperpasskey_store_id_credential" to table: "shopper_passkeys"
CREATE UNIQUE INDEX `shopperpasskey_store_id_credential` ON `shopper_passkeys` (`store_id`, `credential`);
-- Create index "shopperpasskey_store_id_customer_id" to table: "shopper_passkeys"
CREATE INDEX `shopperpasskey_store_id_customer_id` ON `shopper_passkeys` (`store_id`, `customer_id`);

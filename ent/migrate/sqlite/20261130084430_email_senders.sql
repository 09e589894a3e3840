-- Create "mail_senders" table
CREATE TABLE `mail_senders` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `local` text NOT NULL, `host` text NOT NULL, `selector` text NOT NULL, `private_key` blob NOT NULL, `public_key` text NOT NULL, `due_at` integer NOT NULL, `tries` integer NOT NULL DEFAULT (0), `proved_at` integer NULL, `checked_at` integer NULL, `problem` text NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "mailsender_store_id" to table: "mail_senders"
CREATE UNIQUE INDEX `mailsender_store_id` ON `mail_senders` (`store_id`);
-- Create index "mailsender_bucket_due_at" to table: "mail_senders"
CREATE INDEX `mailsender_bucket_due_at` ON `mail_senders` (`bucket`, `due_at`);

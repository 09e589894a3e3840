// Package render renders data with the templates of a theme (contract, section 9).
//
// A theme is untrusted. It can show the data that it is given and nothing else: it runs no code,
// reaches no other data, and its time, memory and output are bounded. The bounds rest on four
// things:
//
//   - A closed world. Templates consist of known kinds of nodes and call known functions only; data
//     consists of maps, lists, text, booleans and float64, which [Theme.Render] checks. So there is
//     no method, channel, iterator or integer to call or range over.
//   - A cost known before the first execution. A range counts as a hundred times its body, a call
//     of a template counts what it calls, and recursion and pages above the budget are refused.
//     Longer lists are held to the same budget while a page is rendered.
//   - Steps. Every iteration, assignment, branch and call writes, even if only an empty text, so
//     the writer can end the page: by steps, by bytes, by time. Between two steps is one action of
//     limited length, whose functions return texts of at most 64 KiB.
//   - html/template escapes by context. An action may be in text, in an attribute's value or in an
//     address, and in no other context. The pages are executed with sample data when a theme is
//     compiled.
//
// The data of every page: .shop has name, currency, language (such as "de"), direction ("ltr" or
// "rtl"), origin, url, products_url, search_url, search_fields, cart_url, add_url, account_url,
// the path of the shopper's account or nothing, price_note,
// which says what the prices of the page include, such as VAT, or nothing, shipping_url, the path
// of the merchant's page about shipping or nothing, email, the contact address or nothing,
// email_url, a link to it, and words, which are texts in that language, such as add_to_cart, so
// that a theme needs none of its own; .theme has name and version;
// .settings has the values of the theme's settings by name; .page has kind, title, path,
// description (which may be nothing) and preview; .menus has main and footer, lists of links with
// title, href, current and children, which are such links themselves. An href may lead to another
// host.
//
// [SampleData] shows what each kind of page has besides. A page that the merchant writes ("page",
// templates/page.html, optional in a theme) has .article with title, kind and body: HTML from the
// service, which can be shown in text only. The list of all products ("products",
// templates/products.html, optional too) has .list with title, description (of a collection),
// products (cards), next_url and previous_url (nothing at the ends), url; sorts, each with title,
// url and current; filters, each with name and values that have title, url and current; filtered,
// and all_url, where it is not; min and max, which a form to url sends under these names along with
// the hidden fields. The service itself adds canonical link, Open Graph and schema.org data to the
// head.
//
// A product and each of its variants has price, price_text, which says if the price is the lowest
// of several, words, the texts beside it, and, beside a compare-at price, lowest_price_text, the lowest
// price of the 30 days before the reduction.
//
// A home page has .sections, which the merchant arranges if the theme has a text setting named
// home_sections; it is empty otherwise. It is one flat list, each element with kind: "image" (image,
// title, text, url, label) and "text" (title, text, url, label), where text is a list of lines, label
// the text of a link to url, and absent members are nothing; "products" (title, text), followed by
// elements of kind "product" with product, a card, and by one of kind "end" with label and url, the
// address of all of them or nothing.
//
// A product has .image, its first image, or nothing, with url, small_url, srcset, width, height and
// alt. srcset, width and height are nothing for an image that is named by its address. On its own
// page, a product also has .images, a list of these, and each of its variants has .image, one of
// them that shows it, or nothing.
//
// The page of a product shows one variant, .product.variant, which its address can name.
// .product.choices are all values of all options, in one list because nested lists cost too much:
// each has name (of the option), value, chosen (the value of the variant that is shown), first and
// last (of the option), url (the page with this value instead, or nothing), current, available, and
// image, which is nothing unless the images of variants depend on this option alone. .product.body is the
// description as HTML from the service, or nothing; .product.description are its paragraphs without
// markup. .product.videos are links to other hosts; .product.size_chart and .product.maker may be
// nothing. .product.custom_fields are the custom fields that the store shows: each has name, label,
// text (the value in the language of the shop) and href, the address if the value is one, or nothing.
//
// A form with method="post" is sent to .shop.add_url and nowhere else. It adds to the cart:
// product_id is .product.id; variant_id is the id of one of .product.variants, optional if the
// product has no options; quantity is a number, by default 1.
//
// The check of markup (no script, no inline style, no handlers) is a plain search in the text of
// each template. It refuses a little too much, such as the word "javascript:" in prose, and does
// not follow a tag whose name is assembled by several templates. It exists to warn authors early:
// the actual protection is the content security policy of the pages.
package render

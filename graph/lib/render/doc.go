// Package render shows data in the templates of a theme (contract, section 9).
//
// A theme comes from a stranger. It can show the data that it is handed, and
// nothing else: it runs no code, reaches no other data, and its time, memory and
// output are bounded. The bounds rest on four things:
//
//   - A closed world. Templates consist of known kinds of nodes and call known
//     functions only; data consists of maps, lists, text, booleans and float64,
//     which [Theme.Render] checks, so there is no method, channel, iterator or
//     integer to be called or ranged over.
//   - A cost known before the first execution. A range counts a hundred times its
//     body, a call of a template counts what it calls, recursion is refused, and
//     a page above the budget is refused. Lists longer than a hundred are held by
//     the same budget while a page is made.
//   - Steps. Every iteration, assignment, branch and call writes, if only nothing,
//     so that the writer sees it and can end the page: by steps, by bytes, by
//     time. Between two steps lies one action of limited length, whose functions
//     make texts of at most 64 KiB.
//   - html/template escapes by context. An action may stand in text, in the value
//     of an attribute and in an address, and in no other context, and the pages are
//     executed against sample data when a theme is compiled.
//
// The data of every page: .shop has name, currency, language (such as "de"), direction
// ("ltr" or "rtl"), origin, url, products_url, search_url, search_fields, cart_url, add_url,
// price_note, which says what the prices of the page include, such as VAT, or nothing, shipping_url,
// the path of the merchant's page about shipping or nothing, and words, which are texts in that
// language, such as add_to_cart, so that a theme needs none of its own; .theme has name and version;
// .settings has the values of the theme's settings by their names;
// .page has kind, title, path, description (which may be nothing) and preview; .menus has
// main and footer, lists of links with title, href, current and children, which are such
// links themselves. An href may lead to another host. What the kinds of pages have besides,
// [SampleData] shows; a page that the merchant writes ("page", templates/page.html, which a
// theme need not have) has .article with title, kind and body: HTML that the service made,
// which can be shown in text and nothing else. The list of all products
// ("products", templates/products.html, which a theme need not have either) has
// .list with title, description (of a collection), products (cards), next_url and
// previous_url (nothing at the ends), url; sorts, each with title, url and current; filters,
// each with name and values that have title, url and current; filtered, and all_url, where
// it is not; min and max, which a form to url sends under these names along with the hidden
// fields. Canonical link, Open Graph and schema.org
// data are put into the head by the service itself.
//
// A product and each of its variants has price, price_text, which says where the price is the lowest
// of several, and words, the texts that stand beside it.
//
// A product has .image, its first picture, or nothing, with url, small_url, srcset, width, height
// and alt; of one that is named by its address nothing but that is known, so that srcset, width and
// height are nothing. On its own page it has .images too, which are such pictures, and each of its
// variants .image, one of them that shows it, or nothing.
//
// A form with method="post" is sent to .shop.add_url and nowhere else. It puts goods into the
// cart: product_id is .product.id; variant_id the id of one of .product.variants, which may be
// left out where the product has no options; quantity a number, 1 where it is left out.
//
// The check of markup (no script, no inline style, no handlers) is a plain search
// in the text of each template. It refuses a little too much, such as the word
// "javascript:" in prose, and does not follow a tag whose name is put together by
// several templates. It exists to warn authors early: what holds is the content
// security policy of the pages.
package render

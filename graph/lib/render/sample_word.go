package render

func sampleWords() map[string]any {
	return map[string]any{
		"account": "Account", "add_to_cart": "Add to cart", "ask": "What are you looking for?",
		"back": "Continue shopping",
		"cart": "Cart", "coming_soon": "There is nothing here yet. Come back soon.", "description": "Description",
		"in_stock": "In stock", "information": "Information", "item_number": "Item number", "type": "Kind",
		"least_price": "Price from", "maker": "Maker", "menu": "Menu", "most_price": "to", "newest": "Newest",
		"next": "Next", "not_found": "Page not found", "not_found_text": "The address may be misspelt.",
		"nothing_found": "Nothing found.", "pages": "Pages", "previous": "Previous", "price": "Price",
		"prices_in": "Prices in EUR", "products": "Products", "quantity": "Quantity", "related": "You may also like",
		"safety": "Safety information", "search": "Search", "search_hint": "Try fewer or other words.",
		"search_more": "There are more. Another word narrows the search.", "see_all": "See all products",
		"show": "Show", "show_all": "Show all", "skip": "Skip to content", "sold_out": "Sold out", "sort": "Sort",
		"top": "Back to top",
	}
}

func productWords() map[string]any {
	return map[string]any{
		"before": "Before", "in_stock": "In stock", "now": "Now", "sale": "Sale", "sold_out": "Sold out",
	}
}

// Drafts of the legal pages that a new store needs. Square brackets mark what the merchant fills in.

const draft = (kind, title, parts) => ({ kind, title,
  body: parts.map(([heading, text]) => `## ${heading}\n\n${text}`).join('\n\n') + '\n' });

export const setupPages = [
  draft('IMPRINT', 'Imprint', [
    ['Seller', '[Name of the company or person]\n\n[Street and number, postal code, city, country]'],
    ['Contact', 'Email: [address]\n\nTelephone: [number]'],
    ['Register and tax', '[Company register and number]\n\n[VAT ID]'],
  ]),
  draft('PRIVACY', 'Privacy policy', [
    ['Who is responsible', '[Name, address and email of the seller]'],
    ['What we store', 'When you order, we store your name, email, addresses and what you bought. We need this to ' +
      'deliver your order, and by law to keep accounts.'],
    ['Who receives it', '[Carriers, payment services and hosting]'],
    ['Cookies', 'The shop sets only the cookies that the cart needs. [Name others that you add.]'],
    ['Your rights', 'You can ask what we store about you, and have it corrected or deleted. Write to [email]. You ' +
      'can also complain to [supervisory authority].'],
  ]),
  draft('TERMS', 'Terms of sale', [
    ['Contract', 'Your order is an offer. The contract is concluded when [we confirm it by email].'],
    ['Prices and payment', '[Whether prices include tax, and how shoppers pay]'],
    ['Delivery', '[Where you ship, and how long it takes]'],
    ['Returns', '[How long shoppers can withdraw from the contract, and where they send goods]'],
    ['Warranty', '[What applies by law]'],
  ]),
];

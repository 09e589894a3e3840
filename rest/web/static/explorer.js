// The GraphQL explorer: GraphiQL asks /graphql of this host, as who is signed in here or
// with the Authorization that somebody types into its headers.
'use strict';

const firstQuery = `# Ctrl and Enter run it. At the left are
# docs and history, below are headers.
{
  store { name currency }
  orders(first: 5) {
    nodes {
      number totalMinor currency
      customer { displayName }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`;

const who = document.getElementById('who');

// The dashboard remembers which store of a person's it showed last.
const chosenStore = () => sessionStorage.getItem('store') ?? localStorage.getItem('store') ?? '';

async function ask(body, headers = {}) {
  const all = new Headers({ Accept: 'application/graphql-response+json, application/json;q=0.9' });
  const store = chosenStore();
  for (const [name, value] of Object.entries(headers)) {
    all.set(name, String(value));
  }
  all.set('Content-Type', 'application/json');
  if (store && !all.has('Authorization')) {
    all.set('Storefront-Store', store);
  }
  const response = await fetch('/graphql', {
    method: 'POST', headers: all, body: JSON.stringify(body),
    credentials: 'same-origin', redirect: 'error', cache: 'no-store',
  });
  return response.json();
}

// greet says as whom the explorer asks.
async function greet() {
  const { data } = await ask({ query: '{ account { name } store { name } }' }).catch(() => ({}));
  if (data?.account) {
    who.textContent = `You ask as ${data.account.name}, for the store ${data.store.name}. Mutations change it.`;
    return;
  }
  const link = document.createElement('a');
  link.href = '/sign-in?return_to=/graphql/explorer';
  link.textContent = 'Sign in';
  const token = ', or type a token into the headers: {"Authorization": "Bearer …"}';
  who.replaceChildren('You are not signed in. ', link, token);
}

greet();
ReactDOM.createRoot(document.getElementById('explorer')).render(React.createElement(GraphiQL, {
  fetcher: (body, options) => ask(body, options?.headers),
  defaultQuery: firstQuery,
  shouldPersistHeaders: false,
}));

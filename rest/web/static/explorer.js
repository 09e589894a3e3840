// The GraphQL explorer: GraphiQL sends requests to /graphql of this host, as the signed-in person or with
// an Authorization header that is entered.
'use strict';

const firstQuery = `# Press Ctrl+Enter to run. Docs and history
# are on the left, headers below.
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

// The store that the dashboard showed last.
const chosenStore = () => sessionStorage.getItem('store') ?? localStorage.getItem('store') ?? '';

async function sendQuery(body, headers = {}) {
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

// greet shows the identity of the requests.
async function greet() {
  const { data } = await sendQuery({ query: '{ account { name } store { name } }' }).catch(() => ({}));
  if (data?.account) {
    who.textContent = `Signed in as ${data.account.name}. Mutations change the store ${data.store.name}.`;
    return;
  }
  const link = document.createElement('a');
  link.href = '/sign-in?return_to=/graphql/explorer';
  link.textContent = 'Sign in';
  const token = ', or enter a token in the headers: {"Authorization": "Bearer …"}';
  who.replaceChildren('You are not signed in. ', link, token);
}

greet();
ReactDOM.createRoot(document.getElementById('explorer')).render(React.createElement(GraphiQL, {
  fetcher: (body, options) => sendQuery(body, options?.headers),
  defaultQuery: firstQuery,
  shouldPersistHeaders: false,
}));

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { clientID, consented, issuer, redirectURI, resource } from './dialogue.mjs'

const kept = {}
const authProvider = {
  clientMetadataUrl: clientID === 'register' ? undefined : clientID, // without one, it registers (RFC 7591)
  redirectUrl: redirectURI,
  clientMetadata: { client_name: 'Agent', redirect_uris: [redirectURI] },
  state: () => 'a state',
  clientInformation: () => kept.client,
  saveClientInformation: client => { kept.client = client },
  tokens: () => kept.tokens,
  saveTokens: tokens => { kept.tokens = tokens },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: verifier => { kept.verifier = verifier },
  redirectToAuthorization: address => { kept.authorize = address },
}

async function connect() {
  const client = new Client({ name: 'agent', version: '1' })
  kept.transport = new StreamableHTTPClientTransport(new URL(resource), { authProvider })
  await client.connect(kept.transport)
  return client
}

async function who(client) {
  const answer = await client.callTool({ name: 'get_me', arguments: {} })
  return answer.structuredContent.app?.client_id
}

const refused = await connect().then(() => 'nothing', problem => problem.name)
const back = await consented(kept.authorize)
await kept.transport.finishAuth(back.searchParams.get('code'))
const client = await connect()
const { tools } = await client.listTools()
const opened = await who(client)
const first = kept.tokens
const headers = { authorization: 'Bearer ' + first.access_token }
const elsewhere = await fetch(issuer + '/api/public/v1/me', { headers })
kept.tokens = { ...first, access_token: 'sfa_expired' }
const refreshed = await who(await connect())
process.stdout.write(JSON.stringify({
  refused,
  tools: tools.length,
  opened,
  refreshed,
  rotated: first.refresh_token !== kept.tokens.refresh_token,
  elsewhere: elsewhere.status,
}) + '\n')
process.exit(0)

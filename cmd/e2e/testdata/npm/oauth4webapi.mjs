import * as oauth from 'oauth4webapi'
import { clientID, consented, finish, issuer, me, redirectURI } from './dialogue.mjs'

const plain = { [oauth.allowInsecureRequests]: true }
const expected = new URL(issuer)
const as = await oauth.processDiscoveryResponse(
  expected, await oauth.discoveryRequest(expected, { algorithm: 'oauth2', ...plain }))
const client = { client_id: clientID }
const nobody = oauth.None()
const verifier = oauth.generateRandomCodeVerifier()
const state = oauth.generateRandomState()

const authorize = new URL(as.authorization_endpoint)
for (const [name, value] of Object.entries({
  client_id: clientID,
  redirect_uri: redirectURI,
  response_type: 'code',
  scope: 'products.read orders.read',
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})) authorize.searchParams.set(name, value)

const params = oauth.validateAuthResponse(as, client, await consented(authorize), state)
const first = await oauth.processAuthorizationCodeResponse(as, client,
  await oauth.authorizationCodeGrantRequest(as, client, nobody, params, redirectURI, verifier, plain))
const opened = await me(first.access_token)
const second = await oauth.processRefreshTokenResponse(as, client,
  await oauth.refreshTokenGrantRequest(as, client, nobody, first.refresh_token, plain))
const refreshed = await me(second.access_token)
await oauth.processRevocationResponse(
  await oauth.revocationRequest(as, client, nobody, second.refresh_token, plain))
await finish(first, second, opened, refreshed)

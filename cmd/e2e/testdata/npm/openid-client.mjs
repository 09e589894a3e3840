import * as client from 'openid-client'
import { clientID, consented, finish, issuer, me, redirectURI } from './dialogue.mjs'

const config = await client.discovery(new URL(issuer), clientID, undefined, client.None(), {
  algorithm: 'oauth2',
  execute: [client.allowInsecureRequests],
})
const verifier = client.randomPKCECodeVerifier()
const state = client.randomState()
const back = await consented(client.buildAuthorizationUrl(config, {
  redirect_uri: redirectURI,
  scope: 'products.read orders.read',
  state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}))
const first = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state })
const opened = await me(first.access_token)
const second = await client.refreshTokenGrant(config, first.refresh_token)
const refreshed = await me(second.access_token)
await client.tokenRevocation(config, second.refresh_token)
await finish(first, second, opened, refreshed)

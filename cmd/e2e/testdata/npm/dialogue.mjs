// The client prints the address of the consent page, reads the address that the
// person was sent back to, and prints what came of it: a JSON object a line.
import { createInterface } from 'node:readline/promises'

export const [issuer, clientID, redirectURI, resource] = process.argv.slice(2)

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

function print(value) {
  process.stdout.write(JSON.stringify(value) + '\n')
}

// consented returns the address that the consent page led to.
export async function consented(authorize) {
  print({ authorize: authorize.href })
  const { value } = await lines.next()
  return new URL(value)
}

// me asks the API who the token is, and returns the status.
export async function me(token) {
  const answer = await fetch(resource + '/me', { headers: { authorization: 'Bearer ' + token } })
  return answer.status
}

// finish prints what became of the tokens: those of the code, those of the refresh,
// and, behind the revocation, nothing.
export async function finish(first, second, opened, refreshed) {
  print({
    opened,
    refreshed,
    revoked: await me(second.access_token),
    scope: first.scope,
    expiresIn: first.expires_in,
    rotated: first.refresh_token !== second.refresh_token,
  })
  process.exit(0)
}

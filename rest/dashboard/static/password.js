import { html, useState } from './lib.js';
import { useApp } from './context.js';
import { Field, Form, FieldError, useAction } from './form.js';

const change = `mutation PasswordChange($current: String!, $next: String!) {
  passwordChange(current: $current, next: $next) { changed userErrors { code message path } } }`;

export function Password({ changed }) {
  const { account } = useApp();
  const [turn, setTurn] = useState(0);
  const action = useAction(change, (v) => {
    if (v.get('next') !== v.get('repeat')) {
      throw new FieldError('repeat', 'The passwords do not match.');
    }
    return { current: v.get('current'), next: v.get('next') };
  }, 'Password changed. Your other sessions and staff tokens have ended.', () => {
    setTurn(turn + 1);
    changed();
  }, { once: false });
  return html`<${Form} key=${turn} name="password" submit="Change password" action=${action}>
    <input type="text" name="username" autocomplete="username" value=${account.email} hidden readonly />
    <${Field} name="current" label="Current password" type="password" autocomplete="current-password" required />
    <${Field} name="next" label="New password" type="password" autocomplete="new-password" required
      hint="At least 10 characters. Do not use your name or email address." />
    <${Field} name="repeat" label="Repeat new password" type="password" autocomplete="new-password" required />
    <p class="muted">You stay signed in here. Your other sessions and your staff tokens in all stores end.</p>
  <//>`;
}

// Re-exports of the libraries.
import { h, render, createContext } from './vendor/preact/preact.module.js';
import {
  useState, useEffect, useLayoutEffect, useRef, useContext, useErrorBoundary, useId,
} from './vendor/preact/hooks.module.js';
import htm from './vendor/htm/htm.module.js';

/** Markup as a tagged template: html`<p class=${name}>${text}</p>`. Texts never become markup. */
const html = htm.bind(h);

export {
  h, html, render, createContext,
  useState, useEffect, useLayoutEffect, useRef, useContext, useErrorBoundary, useId,
};

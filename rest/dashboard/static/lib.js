// What the pages take from the libraries, in one place.
import { h, render, createContext, Fragment } from './vendor/preact/preact.module.js';
import {
  useState, useEffect, useLayoutEffect, useRef, useMemo, useContext, useErrorBoundary, useId,
} from './vendor/preact/hooks.module.js';
import htm from './vendor/htm/htm.module.js';

/** Markup as a tagged template: html`<p class=${name}>${text}</p>`. Texts never become markup. */
const html = htm.bind(h);

export {
  h, html, render, createContext, Fragment,
  useState, useEffect, useLayoutEffect, useRef, useMemo, useContext, useErrorBoundary, useId,
};

// What the views are drawn with: templates and components. All of it is imported from here.
//
// A template keeps nothing of what it has made. htm would make the elements that have no values in them
// only once; such an element knows what it was first seen in, and through it all rows that were seen
// since: they would stay in memory as long as the page is open.
import htm from './vendor/htm-3.1.1/htm.module.js';
import { h } from './vendor/htm-3.1.1/standalone.module.js';

export {
  Component, render, useEffect, useErrorBoundary, useMemo, useReducer, useRef, useState,
} from './vendor/htm-3.1.1/standalone.module.js';

const anew = 3; // what tells htm not to keep an element

/** html is a template. */
export const html = htm.bind(function make(...all) {
  this[0] = anew;
  return h(...all);
});

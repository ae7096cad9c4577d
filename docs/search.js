// The search of the manual: it works on pages opened from disk too, where a browser starts no worker and fetches no file.
// `INDEX` is what MkDocs collected: sections with title, text and location.  The index is built when it is first needed.
"use strict";
const SHOWN = 20;
let index = null;

function words(text) {
  return lunr.tokenizer(text).map((token) => token.toString().replace(/^\W+|\W+$/g, "")).filter((word) => word);
}

function built() {
  return lunr(function () {
    this.ref("number");
    this.field("title", { boost: 10 });
    this.field("text");
    INDEX.forEach((section, number) => this.add({ number, title: section.title, text: section.text }));
  });
}

// Sections that have every word, or a word that begins with it, best first.
function found(asked) {
  index = index || built();
  const scores = words(asked).map((word) => new Map(
    index.query((query) => {
      query.term(lunr.tokenizer(word), { boost: 10 });
      query.term(word.toLowerCase(), { wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false });
    }).map((one) => [one.ref, one.score])));
  if (!scores.length) return [];
  return [...scores[0].keys()]
    .filter((ref) => scores.every((score) => score.has(ref)))
    .map((ref) => [ref, scores.reduce((sum, score) => sum + score.get(ref), 0)])
    .sort((left, right) => right[1] - left[1] || left[0] - right[0])
    .slice(0, SHOWN)
    .map(([ref]) => INDEX[ref]);
}

function around(text, asked) {
  const at = Math.max(0, text.toLowerCase().indexOf(words(asked)[0].toLowerCase()) - 60);
  const part = text.slice(at ? text.indexOf(" ", at) + 1 : 0, at + 200);
  return at + 200 < text.length ? `${part.slice(0, part.lastIndexOf(" "))} …` : part;
}

function show(asked, place) {
  const sections = found(asked);
  place.replaceChildren(...sections.map((section) => {
    const [article, link, told] = ["article", "a", "p"].map((tag) => document.createElement(tag));
    link.href = base_url.replace(/\/?$/, "/") + section.location;
    link.textContent = section.page && section.page !== section.title ? `${section.page}: ${section.title}` : section.title;
    told.textContent = around(section.text, asked);
    article.append(link, told);
    return article;
  }));
  if (asked.trim() && !sections.length) place.textContent = "Nothing found.";
}

document.addEventListener("DOMContentLoaded", () => {
  const asked = document.getElementById("mkdocs-search-query");
  const place = document.getElementById("mkdocs-search-results");
  place.setAttribute("role", "status");
  asked.addEventListener("input", () => show(asked.value, place));
});

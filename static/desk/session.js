// Stops all updates of a page once the session has ended, and says so.

const notice = document.getElementById("signed-out");

document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (!notice.hidden) event.preventDefault();
});

document.body.addEventListener("htmx:afterRequest", (event) => {
  if (/** @type {CustomEvent} */ (event).detail.xhr.status === 401) notice.hidden = false;
});

export {};

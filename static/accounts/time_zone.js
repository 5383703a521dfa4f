// Tells the server the browser's time zone, in which the next pages show their times. Times for judges on this page are
// converted here, because a first visit comes without the cookie.

const COOKIE = "quintet_time_zone";
const A_YEAR_S = 365 * 24 * 60 * 60;
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const [prefix] = new URL(import.meta.url).pathname.split("/static/");

/** @param {string} name */
function stored(name) {
  const start = `${name}=`;
  const cookie = document.cookie.split("; ").find((part) => part.startsWith(start));
  return cookie?.slice(start.length);
}

function convertTimes() {
  // With the same digits as the rest of the page.
  const format = new Intl.DateTimeFormat(`${document.documentElement.lang}-u-nu-latn`, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZoneName: "short",
  });
  for (const time of document.querySelectorAll("time.own-zone")) {
    time.textContent = format.format(new Date(/** @type {HTMLTimeElement} */ (time).dateTime));
  }
}

if (zone && stored(COOKIE) !== zone) {
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `${COOKIE}=${zone}; path=${prefix}/; max-age=${A_YEAR_S}; samesite=lax${secure}`;
  convertTimes();
}

export {};

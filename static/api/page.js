// The description of the API, shown by Swagger UI. Nothing but reading is offered to be tried: it acts in the reader's name.

const place = /** @type {HTMLElement} */ (document.getElementById("api"));
// Swagger UI has dark colours of its own, by a class; api.css puts those right that are too pale.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

const { SwaggerUIBundle } = /** @type {any} */ (globalThis);

SwaggerUIBundle({
  url: place.dataset.description,
  domNode: place,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  supportedSubmitMethods: ["get"],
  validatorUrl: null,
  // `x-fields`: what ?fields= may name.
  showExtensions: true,
  layout: "BaseLayout",
  // The page has a main part already.
  onComplete: () => place.querySelector("main")?.setAttribute("role", "presentation"),
});

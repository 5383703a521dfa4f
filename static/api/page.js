// Shows the API description in Swagger UI. Only read operations can be tried, because requests use the reader's session.

const container = /** @type {HTMLElement} */ (document.getElementById("api"));
// A class switches Swagger UI's dark colours on; api.css fixes their contrast.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

const { SwaggerUIBundle } = /** @type {any} */ (globalThis);

SwaggerUIBundle({
  url: container.dataset.description,
  domNode: container,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  supportedSubmitMethods: ["get"],
  validatorUrl: null,
  layout: "BaseLayout",
  // The page has a main landmark already.
  onComplete: () => container.querySelector("main")?.setAttribute("role", "presentation"),
});

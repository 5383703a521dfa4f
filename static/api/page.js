// The description of the API, shown by Swagger UI. Nothing but reading is offered to be tried: it acts in the reader's name.

const place = document.getElementById("api");

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
  // Headings of the page come before those of its parts.
  layout: "BaseLayout",
});

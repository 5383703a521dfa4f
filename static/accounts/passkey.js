// Passkeys: connects the page's form to allauth's script and shows errors in words.

const IDS = { credential: "passkey-credential", data: "js_data" };

function prepare() {
  const form = document.getElementById("passkey-form");
  const passkeys = /** @type {any} */ (window).allauth?.webauthn?.forms;
  if (!form || !passkeys || !window.PublicKeyCredential) return;
  form.hidden = false;
  const button = "passkey-button";
  if (form.dataset.passkey === "add") {
    passkeys.addForm({ ids: { ...IDS, add: button, passwordless: "id_passwordless" } });
  } else if (form.dataset.passkey === "login") {
    passkeys.loginForm({ ids: { ...IDS, login: button } });
  } else {
    passkeys.authenticateForm({ ids: { ...IDS, authenticate: button } });
  }
}

document.addEventListener("allauth.error", (event) => {
  event.preventDefault(); // The default logs to the console.
  const problem = document.getElementById("passkey-problem");
  if (problem) problem.textContent = String(problem.dataset.words);
});
prepare();

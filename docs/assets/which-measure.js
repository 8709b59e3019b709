// Walks the tree of answers: shows a question once those before it are answered, and the card at
// the end. The address keeps the answers, so that a result can be linked.
const form = document.getElementById("which");
const advised = document.getElementById("advised"), said = document.getElementById("said");
const { tree, pieces } = JSON.parse(document.getElementById("which-data").textContent);

const show = () => {
  const given = new FormData(form), answers = new URLSearchParams();
  for (const field of form.querySelectorAll("fieldset")) field.hidden = true;
  let node = tree;
  while (node.ask) {
    document.getElementById(`ask-${node.ask}`).hidden = false;
    const answer = given.get(node.ask);
    if (!(answer in node.then)) break;
    answers.set(node.ask, answer);
    node = node.then[answer];
  }
  const first = advised.hidden && !node.ask;
  advised.hidden = Boolean(node.ask);
  advised.innerHTML = node.ask ? "" : node.map((piece) => pieces[piece]).join("");
  said.textContent = node.ask ? "" : advised.querySelector("h2").textContent;
  form.querySelector("[type=reset]").hidden = node === tree;
  if (first) advised.scrollIntoView();
  return answers;
};
const keep = () => history.replaceState(null, "", `#${show()}`);
const check = (answers) => {
  for (const input of form.querySelectorAll("input")) {
    input.checked = answers.get(input.name) === input.value;
  }
};
const read = () => {
  const answers = new URLSearchParams(location.hash.slice(1));
  if (location.hash && !answers.has(tree.ask)) return; // a heading of the page
  check(answers);
  show();
};

form.addEventListener("change", keep);
form.addEventListener("reset", (event) => {
  event.preventDefault(); // the browser would clear the form only after this
  check(new URLSearchParams());
  keep();
});
addEventListener("hashchange", read);
form.hidden = false;
show();
read();

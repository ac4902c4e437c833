"""A chemist submits a job and watches it to its results, by keyboard; wrong input is reported next to the field."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page, Route, expect
from rdkit import Chem

from tests.browser.harness import (
    Pages,
    assert_accessible,
    assert_fits,
    picture,
    readme_picture,
    tab_to,
    wait_ms,
    watched,
)
from tests.service.core import LiveService
from tests.tools.styles import SMILES, programs
from tethermap.run.display import STEPS

MODEL = next(style for style in programs() if style.name == "openmm")


def test_job_can_be_followed_from_the_form_to_its_results_by_keyboard(pages: Pages, service: LiveService) -> None:
    page = pages.open("/")
    icon = page.locator("link[rel=icon]")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, "#target_name")
    page.keyboard.type("1HPV")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/results/[0-9a-f]{8}"))  # the page of its progress opens them
    job_id = re.sub(r"[?#].*", "", page.url).rsplit("/", 1)[1]
    expect(page.locator(".place .code-name")).to_have_text("478")
    page.goto(f"/monitor/{job_id}")
    expect(page.locator("#log")).to_contain_text("searching: done")
    expect(page.locator("#state[data-status=completed]")).to_be_attached()
    expect(page).to_have_title(re.compile("^✓ 1HPV · completed"))
    expect(icon).to_have_attribute("href", re.compile("icon-completed"))
    expect(page.locator("#sentence")).to_have_text("Completed: 1 ligand instance kept from 1 entry.")
    expect(page.locator(".steps [data-state=done]")).to_have_count(len(STEPS) - 1)
    expect(page.locator("#log")).to_contain_text("writing report and manifest: started")
    body = service.job(job_id)
    assert (body["source"], body["has_results"]) == ("web", True)
    picture(page, "monitor-completed")
    readme_picture(page, "monitor")
    tab_to(page, "a[href^='/results/']", press="Enter")
    page.wait_for_url(f"**/results/{job_id}*")
    assert "478" in page.locator("main").inner_text()


def test_preview_lists_the_entries_and_submits_nothing(pages: Pages, service: LiveService) -> None:
    page = pages.open("/")
    box, bodies = page.locator("#target_name"), list[str]()
    page.on("request", lambda request: bodies.append(request.post_data or ""))
    box.fill("4CUP")
    expect(page.locator("#preview-panel h2")).to_be_visible()  # a complete text is searched for; the source is indexed
    box.press_sequentially("bromo", delay=20)
    box.fill("fluorobenz")
    option = page.get_by_role("option", name="4-FLUOROBENZAMIDOXIME ligand · ZYB · 1 entry")
    expect(option).to_be_visible()
    assert sum("task=preview" in body for body in bodies) == 1  # typing is no search, only a check of the form
    assert_accessible(page, within="#job-form")
    box.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", option.get_attribute("id") or "")
    page.emulate_media(forced_colors="active")
    expect(option).to_have_css("outline-style", "solid")  # a background is not drawn
    page.emulate_media(forced_colors="none")
    box.press("Enter")
    expect(box).to_have_value("4-FLUOROBENZAMIDOXIME")
    expect(page.locator(".preview tbody")).to_contain_text("4cup")
    box.fill("BAZ2B bromodomain")
    before = service.call("GET", "/api/indexed-jobs")[1]["count"]
    page.get_by_role("button", name="Preview entries").click()
    heading = page.get_by_role("heading", name=re.compile(r"^BROMODOMAIN .*, Q9UIF8: 1 entry, about \d+ s$"))
    expect(heading).to_be_focused()
    expect(page.locator(".preview tbody")).to_contain_text("4cup")
    assert service.call("GET", "/api/indexed-jobs")[1]["count"] == before
    page.locator("summary", has_text="Advanced settings").click()
    picture(page, "submit-preview")


DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const box = document.getElementById("upload-form");
    for (const kind of ["dragenter", "dragover", "drop"])
        box.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
}"""


def test_dropped_files_are_read_at_once_and_together(pages: Pages) -> None:
    """A model, then what defines its ligand; a file that no one can read changes nothing."""
    pages.watch.expect("422")
    page = pages.open("/")
    page.evaluate(DROP, [f"{190 * 'm'}.pdb", MODEL.text])
    expect(page.locator("#uploaded li")).to_have_count(1)
    expect(page.locator("#uploaded")).to_contain_text("bonds of UNL come from distances")
    assert_fits(page)
    expect(page.locator("#preview-panel h2")).to_contain_text("1 entry")  # without a target's name
    page.evaluate(DROP, ["pose.mae", "x"])
    expect(page.locator("#uploaded .notice")).to_contain_text("export it as PDB or mmCIF")
    page.evaluate(DROP, ["ligands.smi", f"{SMILES} UNL"])
    expect(page.locator("#uploaded li")).to_have_count(2)
    expect(page.locator("#uploaded")).not_to_contain_text("distances")
    page.locator("#target_name").fill("BAZ2B")
    expect(page.locator("#job-yaml")).to_contain_text("kind: files")
    page.get_by_role("button", name="Remove all").click()
    expect(page.locator("#uploaded li")).to_have_count(0)
    expect(page.locator("#job-yaml")).not_to_contain_text("kind: files")


def test_file_that_was_not_sent_is_kept_and_sent_again(pages: Pages) -> None:
    pages.watch.expect("ERR_FAILED")
    page = pages.open("/")
    page.route("**/api/uploads", lambda route: route.abort(), times=2)
    fill(page, "model.pdb", MODEL.text)
    expect(page.locator("#uploaded .notice")).to_contain_text("Not sent: model.pdb. The service does not answer.")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("button", name="Send again")).to_be_focused()
    assert_accessible(page, within="#upload-form")
    send(page, "ligands.smi", f"{SMILES} UNL")
    expect(page.locator("#uploaded .notice")).to_contain_text("Not sent: model.pdb, ligands.smi.")
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("#uploaded li b")).to_have_text(["ligands.smi", "model.pdb"])
    expect(page.locator("#uploaded .notice")).to_have_count(0)


def test_ligands_of_files_are_drawn_with_a_box_for_their_smiles(pages: Pages) -> None:
    """A molecule derived from distances is drawn at once; a typed SMILES makes the bonds certain if it fits."""
    pages.watch.expect("422")
    page = pages.open("/")
    page.evaluate(DROP, ["model.pdb", MODEL.text])
    drawn = page.locator("#uploaded figure.sent")
    expect(drawn).to_have_count(1)
    expect(drawn.locator("figcaption")).to_contain_text("bonds from distances")
    assert drawn.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    box = page.get_by_label("SMILES of UNL")
    box.fill("c1cc(")
    box.press("Tab")
    expect(page.locator("#uploaded .notice")).to_contain_text("Rejected: UNL.csv.")
    expect(drawn).to_have_count(1)
    box.fill(SMILES)
    box.press("Enter")
    expect(drawn.locator("figcaption")).to_contain_text("bonds from your file")
    expect(page.locator("#uploaded .notice")).to_have_count(0)
    expect(page.locator("#uploaded li b")).to_have_text(["UNL.csv", "model.pdb"])
    molecules = [Chem.MolFromSmiles(one) for one in (box.input_value(), SMILES)]
    assert len({Chem.MolToSmiles(one, isomericSmiles=False) for one in molecules}) == 1
    picture(page, "submit-ligands")


def job_of(page: Page, service: LiveService) -> dict[str, Any]:
    """Return the job whose page has been reached."""
    page.wait_for_url(re.compile(r"/monitor/[0-9a-f]{8}$"))
    return service.job(page.url.rsplit("/", 1)[1])


def send(page: Page, name: str, text: str) -> None:
    """Choose a file for the form."""
    files: FilePayload = {"name": name, "mimeType": "chemical/x-pdb", "buffer": text.encode()}
    page.locator("#files").set_input_files([files])


def fill(page: Page, name: str, text: str, target: str = "BAZ2B") -> None:
    """Name the target in the form and choose a file."""
    page.locator("#target_name").fill(target)
    page.locator("#upload-form summary").click()
    send(page, name, text)


@pytest.mark.parametrize("button", ["Run", "Preview entries"])
def test_submit_waits_for_files_on_their_way(pages: Pages, service: LiveService, button: str) -> None:
    page = pages.open("/")
    held: list[Route] = []
    page.route("**/api/uploads", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks what it calls
    fill(page, "model.pdb", MODEL.text)
    send(page, "ligands.smi", f"{SMILES} UNL")
    page.get_by_role("button", name=button).click()
    expect(page.locator("#form-state")).to_contain_text("Uploading your files")
    held[0].continue_()
    while len(held) < 2:
        page.wait_for_timeout(20)
    held[1].continue_()
    if button == "Run":
        upload = job_of(page, service)["request"]["structures"]
        files = service.call("GET", f"/api/uploads/{upload}")[1]["files"]
        assert {file["name"] for file in files} == {"model.pdb", "ligands.smi"}
    else:
        expect(page.locator(".preview tbody")).to_contain_text("model")


def test_no_job_runs_without_a_file_that_was_not_taken_unless_that_is_chosen(
    pages: Pages, service: LiveService
) -> None:
    pages.watch.expect("422")
    page = pages.open("/")
    before = service.call("GET", "/api/indexed-jobs")[1]["count"]
    fill(page, "pose.mae", "x", "1HPV")
    page.get_by_role("button", name="Run").click()  # while it is on its way
    told = "Not submitted: pose.mae was rejected. Send another file, or choose to run the job without it."
    expect(page.locator("#form-state")).to_have_text(told)
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_label("Run the job without these files")).to_be_focused()
    expect(page.locator("#form-state")).to_have_text(told)
    page.get_by_role("button", name="Preview entries").click()
    expect(page.locator("#form-state")).to_have_text(told)
    assert service.call("GET", "/api/indexed-jobs")[1]["count"] == before
    assert_accessible(page)
    page.get_by_label("Run the job without these files").check()
    page.get_by_role("button", name="Run").click()
    assert "structures" not in job_of(page, service)["request"]


def test_refused_file_stops_the_job_where_there_are_no_scripts(pages: Pages, service: LiveService) -> None:
    pages.watch.expect("422")
    page = pages.open("/", java_script_enabled=False)
    fill(page, "pose.mae", "x")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#files-error")).to_contain_text("export it as PDB or mmCIF")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#form-error")).to_contain_text("these files were rejected: pose.mae; send others")
    expect(page.get_by_label("Run the job without these files")).to_be_visible()
    send(page, "model.pdb", MODEL.text)
    page.get_by_role("button", name="Send files").click()
    expect(page.locator("#uploaded")).to_contain_text("model.pdb")
    expect(page.locator("#uploaded .notice")).to_have_count(0)
    expect(page.locator("#target_name")).to_have_value("BAZ2B")
    page.get_by_role("button", name="Run").click()
    assert job_of(page, service)["request"]["structures"].startswith("upload_")


BRD4 = ("5t35", "6duv", "6u6k", "7khh")
"""Entries of either bromodomain, or both."""


@pytest.mark.process
@pytest.mark.parametrize("scripts", [True, False])
def test_target_of_several_domains_keeps_all_its_entries(
    browser: Browser, mirror: Path, tmp_path: Path, *, scripts: bool
) -> None:
    entries = tmp_path / "mirror"
    entries.mkdir()
    for path in (path for name in BRD4 for path in mirror.glob(f"{name}.*.gz")):
        (entries / path.name).symlink_to(path)
    expect.set_options(timeout=wait_ms())
    with (
        LiveService(tmp_path / "service", SOURCE="mirror", MIRROR=str(entries)) as service,
        watched(browser, service.address) as pages,
    ):
        page = pages.open("/", java_script_enabled=scripts)
        page.locator("#target_name").fill("BRD4")
        page.get_by_role("button", name="Preview entries").click()
        page.get_by_role("button", name=re.compile("Use as target.*bromodomain-containing", re.IGNORECASE)).click()
        expect(page.locator("#fasta_seq")).to_have_value(re.compile(">.*construct 1\n[A-Z]+\n>.*construct 2\n[A-Z]+"))
        page.get_by_role("button", name="Run").click()
        job = service.ended(job_of(page, service)["job_id"])
        assert (job["status"], job["progress"]["entries"]["kept"]) == ("completed", len(BRD4))
        rows = service.call("GET", f"/api/jobs/{job['job_id']}/rows?table=entries")[1]["rows"]
        assert {row["pdb_id"]: row["target_match"] for row in rows} == dict.fromkeys(BRD4, "sequence")


def test_command_and_file_follow_the_form(pages: Pages) -> None:
    page = pages.open("/")
    page.locator("summary", has_text="Advanced settings").click()
    page.locator("#target_name").fill("HIV-1 protease")
    page.locator("#search_query").fill("1HPV")
    page.get_by_label("Maximum entries").fill("7")
    page.get_by_label("cofactor").check()
    expect(page.locator("#job-yaml")).to_contain_text("max_entries: 7")
    expect(page.locator("#job-yaml")).to_contain_text("- cofactor")
    expect(page.locator("#curl")).to_contain_text('"options": {"max_entries": 7')
    expect(page.locator("#curl")).to_contain_text(f'curl -s "{pages.address}/api/jobs"')


def test_copy_button_gets_its_label_back(pages: Pages) -> None:
    page = pages.open("/", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#same summary").click()
    button = page.locator("button[data-copy='#curl']")
    label = button.inner_html()
    for _ in range(2):  # the second click comes while the button shows "Copied"
        button.click()
        expect(button).to_have_text("Copied")
    expect(button).not_to_have_text("Copied")
    page.wait_for_timeout(1600)
    assert button.inner_html() == label


def test_wrong_input_is_reported_next_to_its_field_and_is_not_sent(pages: Pages) -> None:
    page = pages.open("/")
    page.locator("summary", has_text="Advanced settings").click()
    page.locator("#target_name").fill("HIV-1 protease")
    page.locator("#search_query").fill("1HPV")
    page.locator("#fasta_seq").fill("PQIT?WQRP")
    page.locator("#search_query").focus()
    expect(page.locator("#fasta_seq-error")).to_contain_text("not a protein sequence")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#fasta_seq")).to_be_focused()
    expect(page.locator("#fasta_seq")).to_have_attribute("aria-invalid", "true")
    assert page.url.endswith("/")
    assert_accessible(page)
    page.locator("#fasta_seq").fill("PQITLWQRPLVT")
    expect(page.locator("#fasta_seq-error")).to_be_hidden()


def test_examples_are_one_click_away(pages: Pages) -> None:
    page = pages.open("/?from=exambrd4")
    expect(page.get_by_label("Maximum entries")).to_have_value("50")
    page.goto("/")
    picture(page, "submit")
    page.get_by_role("link", name=re.compile("run with changes.*BAZ2B bromodomain")).click()
    expect(page.locator("#search_query")).to_have_value("BAZ2B bromodomain")
    page.go_back()
    page.get_by_role("link", name="HIV-1 protease with amprenavir", exact=True).click()
    page.wait_for_url("**/results/exam1hpv*")


def test_preview_is_shown_after_a_pause_in_typing(pages: Pages) -> None:
    page = pages.open("/")
    page.locator("#target_name").fill("1HPV 4CUP")
    told = page.locator("#preview-panel")
    expect(told.locator("h2")).to_have_text(re.compile(r"^2 entries, about \d+ s$"))
    told.get_by_role("button", name=re.compile("Use as target.*bromodomain", re.IGNORECASE)).click()
    expect(page.locator("#fasta_seq")).to_have_value(re.compile("^[A-Z]{100,}$"))
    expect(page.locator("#job-yaml")).to_contain_text("fasta_seq: ")
    assert_accessible(page)


def test_preview_survives_a_late_script_and_a_lost_connection(pages: Pages) -> None:
    pages.watch.expect("ERR_FAILED|ERR_INTERNET_DISCONNECTED")
    page = pages.open()

    def late(route: Route) -> None:
        page.locator("#target_name").fill("1HPV")
        route.continue_()

    page.route("**/submit.js", late)
    page.route(
        re.compile("/$"), lambda route: route.abort() if route.request.method == "POST" else route.continue_(), times=2
    )
    page.goto("/")
    expect(page.locator("#preview-panel h2")).to_contain_text("1 entry")
    assert pages.watch.requests.count("POST /") == 3  # the lost one, the check, the preview
    page.context.set_offline(True)
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#form-state")).to_contain_text("The service does not answer.")


def test_ligand_of_a_finished_job_is_found_from_its_name_or_smiles(pages: Pages) -> None:
    page = pages.open("/")
    for text in ("amprenavir", AMPRENAVIR):
        page.locator("#target_name").fill(text)
        expect(page.locator("#found tbody tr").first).to_contain_text("Amprenavir")
    expect(page.locator("#found tbody tr").first).to_contain_text("the same, 1.00")
    expect(page.locator("#preview-panel")).to_be_hidden()
    assert_accessible(page)
    page.locator("#found").get_by_role("link", name="478").first.click()
    page.wait_for_url("**/results/*row=1hpv_A_478_200*")


AMPRENAVIR = "CC(C)CN(C[C@@H](O)[C@H](Cc1ccccc1)NC(=O)O[C@H]1CCOC1)S(=O)(=O)c1ccc(N)cc1"
"""Ligand 478 of 1HPV."""


def test_form_works_without_scripts(pages: Pages, service: LiveService) -> None:
    pages.watch.expect("422")
    page = pages.open("/", java_script_enabled=False)
    page.locator("#target_name").fill("zebra")
    page.locator("summary", has_text="Advanced settings").click()
    page.locator("#search_query").fill("zebra crossing")
    page.get_by_role("button", name="Preview entries").click()
    expect(page.get_by_role("heading", name=re.compile("^0 entries, about"))).to_be_visible()
    expect(page.locator("#search_query")).to_have_value("zebra crossing")
    page.locator("#target_name").fill("---")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#target_name-error")).to_have_text("target_name has no letter or digit.")
    page.locator("#target_name").fill("zebra")
    page.get_by_role("button", name="Run").click()
    page.wait_for_url(re.compile(r"/monitor/[0-9a-f]{8}$"))
    assert page.locator("meta[http-equiv=refresh]").count() == 1  # it reloads
    service.ended(page.url.rsplit("/", 1)[1])
    expect(page.get_by_text("Completed: nothing was found.")).to_be_visible()
    assert page.locator("meta[http-equiv=refresh]").count() == 0
    assert page.get_by_role("button", name="Copy").count() == 0  # parts that need scripts are hidden
    picture(page, "monitor-nothing-found", themes=False)

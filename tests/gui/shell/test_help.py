"""The help can be read, searched, and found from Why; the tour can be left at any time."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QApplication, QTabBar

from gui.commands.panels import PANELS
from gui.document.help_pages import HELP, found, pages
from gui.document.selection import Selection
from gui.present.why.edits import Do
from gui.present.why.text import explanation_of
from gui.shell.help import HelpDialog
from gui.shell.tour import KEY, STEPS
from tests.gui.painted import texts_of

VIEWS = {panel.name for panel in PANELS}


@pytest.fixture
def app(app_again):
    return app_again


def help_of(app) -> HelpDialog:
    (dialog,) = app.window.findChildren(HelpDialog)
    return dialog


def test_every_page_has_a_title_and_pictures_of_views_that_are_there():
    assert len(pages()) == len(list(HELP.glob("*.md"))) > 5
    for page in pages():
        assert page.title
        assert page.text.startswith(f"# {page.title}")
        pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", page.text)
        assert {address.partition(":")[2] for address in pictures} <= VIEWS
        assert all(address.startswith("view:") for address in pictures)


def test_pages_are_found_by_their_words_those_with_the_words_as_title_first():
    assert found("cascade")[0].name == "cascades"
    assert found("evicted map")[0].name == "eviction"
    assert found("zqzq") == ()


def test_f1_opens_the_page_about_the_view_with_the_focus(app):
    app.panels.show_panel("memory")
    assert app.actions.run("help.contents")
    assert help_of(app).page == "map"
    app.panels.show_panel("edits")
    app.actions.run("help.contents")
    assert help_of(app).page == "edits"
    assert "Decisions of your own" in help_of(app).text.toPlainText()


def test_typing_leaves_pages_that_have_the_words(app, qtbot):
    app.actions.run("help.page.start")
    dialog = help_of(app)
    qtbot.keyClicks(dialog.line, "rolling buffer")
    assert dialog.list.count() == len(found("rolling buffer")) < len(pages())
    assert "rolling buffer" in dialog.text.toPlainText().lower()
    dialog.line.setText("zqzq")
    assert dialog.nothing.isVisible()
    assert dialog.list.count() == 0


def test_titles_are_whole_in_the_list(app):
    app.actions.run("help.page.start")
    shown = [text.text for text in texts_of(help_of(app).list.viewport())]
    assert shown == [page.title for page in pages()]


def test_pictures_are_drawn_by_the_views_as_they_are_now(app):
    pictures = []
    for theme in ("light", "dark"):
        app.actions.run(f"view.theme.{theme}")
        app.actions.run("help.page.start")
        app.actions.run("help.page.eviction")
        kind = QTextDocument.ResourceType.ImageResource.value
        pictures.append(help_of(app).text.loadResource(kind, QUrl("view:memory")))
    assert all(isinstance(each, QImage) and not each.isNull() for each in pictures)
    assert pictures[0] != pictures[1]
    # None is larger than its view, and so blurred, or cut by the page.
    view = app._views["memory"]
    assert pictures[0].width() <= min(view.width(), help_of(app).text.viewport().width())


def test_titles_of_panels_are_whole_however_many_share_a_place(app):
    app.window.resize(1280, 800)
    QApplication.processEvents()
    bars = [bar for bar in app._panels.findChildren(QTabBar) if bar.isVisible()]
    bars = [bar for bar in bars if bar.accessibleName() == "Panels in this place"]
    assert bars
    for bar in bars:
        for at in range(bar.count()):
            assert bar.tabRect(at).width() >= bar.fontMetrics().horizontalAdvance(bar.tabText(at))


@pytest.mark.long
@pytest.mark.parametrize("selection", [Selection(), Selection(op=1), Selection(fm=2)], ids=str)
def test_why_leads_to_pages_that_are_there(app, selection):
    answer = app.store.answer
    links = explanation_of(answer, selection, app.store.display).related
    pages_told = [link.target.command for link in links if link.group == "Help"]
    assert pages_told
    for command in pages_told:
        assert isinstance(next(x for x in links if x.target == Do(command)).target, Do)
        assert app.actions.run(command)
        assert f"help.page.{help_of(app).page}" == command


def test_the_tour_goes_through_seven_views_and_can_be_left(app, qtbot):
    spotlight = app.tour.spotlight
    assert len(STEPS) == 7
    assert spotlight.isHidden()
    app.actions.run("help.tour")
    for number, step in enumerate(STEPS, 1):
        assert f"{number} of {len(STEPS)}" in app.banner.text
        dock = app.panels.dock(step.view)
        assert dock.isVisible()
        # The light is on what is told of, wherever messages and tabs push it.
        qtbot.waitUntil(lambda dock=dock: spotlight.lit == dock.geometry())
        assert spotlight.isVisible()
        assert app.actions.run("help.next")
    assert spotlight.isHidden()
    assert KEY not in [problem.key for problem in app.banner.problems]
    assert not app.actions.run("help.next")
    app.actions.run("help.tour")
    assert spotlight.isVisible()
    app.problems.put_all_away()
    assert spotlight.isHidden()
    assert not app.actions.run("help.next")


def test_only_who_has_not_been_here_is_shown_around(app):
    app.welcome()
    assert app.tour.is_on
    app.problems.put_all_away()
    app.welcome()
    assert not app.tour.is_on

"""Long texts in place of those of a HIT: paragraphs as news and literature have them."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Route

SIZES = {
    "laptop": {"width": 1366, "height": 768},
    "wide": {"width": 1920, "height": 1080},
    "phone": {"width": 390, "height": 844},
}

_ENGLISH = (
    "The museum by the harbour opens its doors at ten o'clock every morning.",
    "Nobody had expected that so many visitors would wait outside in the rain.",
    "Its director speaks of a great success and wants to stay open longer.",
    "The old lift stopped between two floors and could not be moved for hours.",
    "In the evening the lights along the quay were switched on one by one.",
)
# The same in the languages of translations; what may stand for a word in each sentence is beside it.
_TRANSLATIONS = {
    "de": (
        "Das Museum am Hafen öffnet seine Türen jeden Morgen pünktlich um zehn Uhr.",
        "Niemand hatte die Straßenverkehrszulassungsordnung oder so viele Besucher im Regen erwartet.",
        "Die Direktorin spricht von einem großen Erfolg und will länger geöffnet bleiben.",
        "Der alte Aufzug hielt zwischen zwei Etagen und ließ sich stundenlang nicht bewegen.",
        "Am Abend wurden die Lichter entlang des Kais eins nach dem anderen angezündet.",
    ),
    "zh": (
        "港口边的博物馆每天早上十点准时开门。",
        "谁也没有想到会有这么多参观者在雨中等候。",
        "馆长说这是一次巨大的成功，并希望延长开放时间。",
        "旧电梯停在两层楼之间，几个小时都动不了。",
        "傍晚，码头沿岸的灯一盏接一盏地亮了起来。",
    ),
    "ar": (
        "يفتح المتحف القريب من الميناء أبوابه كل صباح في تمام الساعة العاشرة.",
        "لم يتوقع أحد أن ينتظر هذا العدد الكبير من الزوار في الخارج تحت المطر.",
        "تتحدث المديرة عن نجاح كبير وتريد إبقاء المتحف مفتوحًا وقتًا أطول.",
        "توقف المصعد القديم بين طابقين ولم يكن من الممكن تحريكه لساعات.",
        "في المساء أضيئت الأنوار على طول الرصيف واحدًا تلو الآخر.",
    ),
    "th": (
        "พิพิธภัณฑ์ริมท่าเรือเปิดประตูทุกเช้าตรงเวลาสิบนาฬิกา ",
        "ไม่มีใครคาดคิดว่าจะมีผู้เข้าชมมากมายรออยู่ข้างนอกท่ามกลางสายฝน ",
        "ผู้อำนวยการกล่าวถึงความสำเร็จครั้งใหญ่และอยากเปิดให้นานขึ้น ",
        "ลิฟต์เก่าหยุดอยู่ระหว่างสองชั้นและขยับไม่ได้เป็นเวลาหลายชั่วโมง ",
        "ในตอนเย็นไฟตามแนวท่าเรือถูกเปิดขึ้นทีละดวง ",
    ),
}
# A word of each output is its own in every sentence.
_OWN = {
    "de": (
        ("Museum", "Haus"),
        ("Besucher", "Gäste"),
        ("Erfolg", "Sieg"),
        ("alte", "graue"),
        ("Abend", "Dunkel"),
    ),
    "zh": (
        ("博物馆", "展馆"),
        ("参观者", "游客"),
        ("成功", "胜利"),
        ("旧", "老"),
        ("傍晚", "晚上"),
    ),
    "ar": (
        ("المتحف", "المعرض"),
        ("الزوار", "الضيوف"),
        ("نجاح", "فوز"),
        ("القديم", "العتيق"),
        ("المساء", "الليل"),
    ),
    "th": (
        ("พิพิธภัณฑ์", "หอศิลป์"),
        ("ผู้เข้าชม", "แขก"),
        ("ความสำเร็จ", "ชัยชนะ"),
        ("เก่า", "โบราณ"),
        ("ตอนเย็น", "ยามค่ำ"),
    ),
}
LANGUAGES = tuple(_TRANSLATIONS)


def _sentences(words: int) -> int:
    """Return how many of the German sentences have so many words; the other languages have as many sentences."""
    lengths = [len(each.split()) for each in _TRANSLATIONS["de"]]
    count = 0
    while words > 0:
        words -= lengths[count % len(lengths)]
        count += 1
    return count


def _text(sentences: tuple[str, ...], words: int, *, between: str = " ") -> str:
    return between.join(
        sentences[n % len(sentences)] for n in range(_sentences(words))
    ).strip()


def source_of(words: int) -> str:
    return _text(_ENGLISH, words)


def reference_of(words: int, language: str = "de") -> str:
    between = "" if language in {"zh", "th"} else " "
    return _text(_TRANSLATIONS[language], words, between=between)


def output_of(words: int, place: int, language: str = "de") -> str:
    return reference_of(words, language).replace(*_OWN[language][place])


def store_long(task_id: int, words: int, *, language: str = "de") -> None:
    """Give every text of a test set so many words; no two systems write the same."""
    from campaign.models import Output, Reference, Segment, System

    Segment.objects.filter(test_set__tasks=task_id).update(source_text=source_of(words))
    reference = reference_of(words, language)
    Reference.objects.filter(segment__test_set__tasks=task_id).update(text=reference)
    for place, system in enumerate(
        System.objects.filter(test_set__tasks=task_id).order_by("pk"),
    ):
        text = f"{output_of(words, place % 5, language)} {place}"
        Output.objects.filter(system=system).update(text=text)


def lengthen(
    page: Page,
    words: int,
    alter: Callable[[list[str]], list[str]] | None = None,
    *,
    language: str = "de",
) -> None:
    """Let the HITs have sources, references, neighbours and outputs of so many words, in English and `language`.

    `alter` may change the outputs' texts.
    """
    outputs = [output_of(words, place, language) for place in range(5)]
    written = {"lang": language, "dir": "rtl" if language == "ar" else "ltr"}
    if alter:
        outputs = alter(outputs)

    def change(route: Route) -> None:
        response = route.fetch()
        data: Any = response.json() if response.status == 200 else {}
        # The first HIT is asked for; the others come with the answer to a submission.
        for block in (data.get("next") or data).get("blocks", ()):
            block["source"]["text"] = source_of(words)
            block["references"][0].update(text=reference_of(words, language), **written)
            neighbour = {"source": block["source"], "reference": block["references"][0]}
            block["context"] = {"before": [neighbour] * 2, "after": [neighbour] * 2}
            candidates = block["candidates"]
            for candidate, text in zip(
                candidates,
                outputs[: len(candidates)],
                strict=True,
            ):
                candidate.update(text=text, **written)
        body = json.dumps(data) if data else None
        route.fulfill(response=response, body=body)

    page.route(re.compile(r"/judging/(assignments|judgments/[\w-]+)/$"), change)

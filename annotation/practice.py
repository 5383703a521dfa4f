"""Sentences of our own for the tour, where a test set has none to spare: one small story, five sentences.

Each language tells it in its own words, so any two of them make a pair.
"""

from typing import Final

_STORIES: Final[dict[str, tuple[str, ...]]] = {
    "en": (
        "Every evening at six, the night guard locks the museum and waters the plants.",
        "Last Tuesday he found a small owl asleep on the shoulder of a marble queen.",
        "He did not want to wake it, so he left the window open and whispered good night.",
        "In the morning the owl was gone, but there was a feather in the hand of the queen.",
        "The visitors think that it belongs to the statue, and he has never told them otherwise.",
    ),
    "de": (
        "Jeden Abend um sechs schließt der Nachtwächter das Museum ab und gießt die Pflanzen.",
        "Letzten Dienstag fand er eine kleine Eule schlafend auf der Schulter einer Marmorkönigin.",
        "Er wollte sie nicht wecken, ließ das Fenster offen und wünschte ihr leise eine gute Nacht.",
        "Am Morgen war die Eule fort, aber in der Hand der Königin lag eine Feder.",
        "Die Besucher glauben, dass sie zur Statue gehört, und er hat ihnen nie widersprochen.",
    ),
    "cs": (
        "Každý večer v šest hodin noční hlídač zamkne muzeum a zalije květiny.",
        "Minulé úterý našel malou sovu, která spala na rameni mramorové královny.",
        "Nechtěl ji budit, a tak nechal okno otevřené a šeptem jí popřál dobrou noc.",
        "Ráno byla sova pryč, ale v ruce královny leželo pero.",
        "Návštěvníci si myslí, že patří k soše, a on jim nikdy neřekl nic jiného.",
    ),
    "es": (
        "Todas las tardes, a las seis, el vigilante nocturno cierra el museo y riega las plantas.",
        "El martes pasado encontró un pequeño búho dormido en el hombro de una reina de mármol.",
        "No quería despertarlo, así que dejó la ventana abierta y le susurró buenas noches.",
        "Por la mañana el búho ya no estaba, pero en la mano de la reina había una pluma.",
        "Los visitantes creen que es parte de la estatua, y él nunca les ha dicho lo contrario.",
    ),
    "fr": (
        "Chaque soir à six heures, le gardien de nuit ferme le musée et arrose les plantes.",
        "Mardi dernier, il a trouvé une petite chouette endormie sur l’épaule d’une reine de marbre.",
        "Sans la réveiller, il a laissé la fenêtre ouverte et lui a murmuré bonne nuit.",
        "Au matin, la chouette était partie, mais il y avait une plume dans la main de la reine.",
        "Les visiteurs croient qu’elle fait partie de la statue, et il ne les a jamais détrompés.",
    ),
    "ru": (
        "Каждый вечер в шесть часов ночной сторож запирает музей и поливает цветы.",
        "В прошлый вторник он нашёл маленькую сову, которая спала на плече мраморной королевы.",
        "Он не хотел её будить, поэтому оставил окно открытым и шёпотом пожелал ей спокойной ночи.",
        "Утром совы уже не было, но в руке королевы лежало перо.",
        "Посетители думают, что оно — часть статуи, а он никогда их не разубеждал.",
    ),
    "ar": (
        "في السادسة من كل مساء يغلق الحارس الليلي المتحف ويسقي النباتات.",
        "وفي يوم الثلاثاء الماضي وجد بومة صغيرة نائمة على كتف ملكة من الرخام.",
        "لم يرد أن يوقظها، فترك النافذة مفتوحة وهمس لها متمنيا ليلة سعيدة.",
        "وفي الصباح كانت البومة قد رحلت، لكن ريشة بقيت في يد الملكة.",
        "يظن الزوار أنها جزء من التمثال، وهو لم يقل لهم غير ذلك قط.",
    ),
    "hi": (
        "हर शाम छह बजे रात का चौकीदार संग्रहालय बंद करता है और पौधों को पानी देता है।",
        "पिछले मंगलवार को उसे संगमरमर की एक रानी के कंधे पर सोता हुआ एक छोटा उल्लू मिला।",
        "वह उसे जगाना नहीं चाहता था, इसलिए उसने खिड़की खुली छोड़ दी और धीरे से शुभ रात्रि कहा।",
        "सुबह उल्लू जा चुका था, लेकिन रानी के हाथ में एक पंख था।",
        "लोग समझते हैं कि वह मूर्ति का हिस्सा है, और उसने उन्हें कभी कुछ और नहीं बताया।",
    ),
    "zh": (
        "每天晚上六点，值夜班的保安锁好博物馆的门，然后给植物浇水。",
        "上星期二，他发现一只小猫头鹰睡在大理石女王的肩膀上。",
        "他不想吵醒它，于是让窗户开着，轻声道了晚安。",
        "第二天早上猫头鹰不见了，但女王的手里多了一根羽毛。",
        "参观的人以为羽毛是雕像的一部分，他也从来没有说破。",
    ),
}
# Ours are in simplified characters.
_TRADITIONAL: Final = frozenset(("hant", "hk", "mo", "tw"))


def practice_story(tag: str) -> tuple[str, ...] | None:
    """Return the story in the language of a BCP 47 tag; None if there is none."""
    language, *rest = tag.lower().replace("_", "-").split("-")
    if language == "zh" and _TRADITIONAL.intersection(rest):
        return None
    return _STORIES.get(language)

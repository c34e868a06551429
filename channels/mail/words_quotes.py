"""How mail clients of many languages introduce what they quote. Lower case."""

from __future__ import annotations

from .phrases import phrases

WROTE = phrases(
    """
    wrote | writes | said | schrieb | schrieben | schreibt | geschrieben | hat geschrieben | a écrit | écrit |
    escribió | escribio | escribe | ha escrito | escreveu | escreve | ha scritto | scrisse | scrive | scritto |
    schreef | geschreven | heeft geschreven | skrev | skreiv | skriver | kirjoitti | kirjoittaa | napisał |
    napisała | napisał(a) | napisał/a | pisze | napisal | napsal | napsala | napsal(a) | napísal | napísal(a) |
    yazdı | yazmış | şunu yazdı | şunları yazdı | написал | написала | написал(а) | написав | пишет | писал |
    пишете | вы писали | пише | έγραψε | γράφει | írta | ezt írta | írja | a scris | scris | さんは書きました |
    は書きました | のメール | さんのメッセージ | が書きました | wrote in message | 작성 | 님이 작성 | 님이 쓴 글 |
    씀 | 写道 | 寫道 | 写到 | 寫到 | 来信说 | כתב | כתבה | כתב/ה | כתבה/כתב | ‫כתב | كتب | كتبت | كَتَب |
    va escriure | je napisao | je napisao/la | je napisal | napisao | rašė | rakstīja | kirjutas | đã viết |
    menulis | เขียนว่า | เขียน | написа | скрифа | viết | ने लिखा | लिखा | نوشت | نوشته است | نوشته | tulis |
    пишува | pisao je
    """
)

OPENERS = (
    *(
        "on ",
        "am ",
        "le ",
        "el ",
        "em ",
        "il ",
        "in data ",
        "op ",
        "den ",
        "på ",
        "w dniu ",
        "dnia ",
        "dne ",
        "στις ",
        "pe ",
        "în ",
    ),
    *(
        "la data ",
        "în data ",
        "в ",
        "вт, ",
        "ב",
        "בתאריך ",
        "في ",
        "بتاريخ ",
        "at ",
        "quoting ",
        "zitat von ",
        "citando ",
        "d.",
        "ti ",
    ),
    *(
        "ma ",
        "ke ",
        "to ",
        "pe ",
        "la ",
        "su ",
        "man ",
        "tir",
        "ons",
        "tor",
        "fre",
        "lør",
        "søn",
        "mån",
        "tis",
        "lör",
        "sön",
    ),
)
"""How the first of several lines of an attribution begins."""

QUOTING = (
    "quoting ",
    "zitat von ",
    "quoting from ",
    "citando ",
    "citazione ",
    "citat ",
    "citando a ",
    "en réponse à ",
    "цитирую ",
)
"""How an attribution without a date begins."""

ORIGINAL = phrases(
    """
    original message | original-message | originalmessage | original email | original appointment |
    mensaje original | message d'origine | message original | messaggio originale | mensagem original |
    ursprüngliche nachricht | originalnachricht | ursprüngliche mail | original-nachricht |
    oorspronkelijk bericht | origineel bericht | ursprungligt meddelande | originalmeddelande |
    oprindelig meddelelse | oprindelig besked | original meddelelse | original melding | opprinnelig melding |
    opprinnelig e-post | alkuperäinen viesti | wiadomość oryginalna | oryginalna wiadomość | original |
    replied message | 回复的原邮件 | original message from | původní zpráva | původní e-mail | özgün ileti |
    orijinal mesaj | orijinal ileti | asıl ileti | исходное сообщение | исходное письмо | пересылаемое |
    оригинальное сообщение | вихідне повідомлення | початкове повідомлення | оригінальне повідомлення |
    αρχικό μήνυμα | eredeti üzenet | eredeti levél | mesaj original | mesajul original | mesaj inițial |
    元のメッセージ | オリジナルメッセージ | original mail | 원본 메시지 | 원본 메일 | 원본 이메일 | 원래 메시지 |
    原始邮件 | 原始郵件 | 原邮件 | 邮件原件 | 原始信件 | 原始訊息 | ההודעה המקורית | הודעה מקורית |
    الرسالة الأصلية | رسالة أصلية | reply message | reply above this line | missatge original | pôvodná správa |
    izvorno sporočilo | izvorna poruka | thư gốc | quoted message | message suivi | antwort auf | mail original |
    mail d'origine | courriel original | tin nhắn gốc | thư ban đầu | ข้อความต้นฉบับ | ข้อความเดิม | pesan asli |
    mesej asal | मूल संदेश | پیام اصلی | پیام اولیه | оригинално съобщение | originalna poruka |
    originalus laiškas | sākotnējais ziņojums | algne kiri | upprunalegur póstur
    """
)

FORWARDED = phrases(
    """
    forwarded message | forwarded by | forwarded email | begin forwarded message | weitergeleitete nachricht |
    anfang der weitergeleiteten nachricht | weitergeleitet von | message transféré | message transmis |
    début du message transféré | début du message réexpédié | mensaje reenviado | inicio del mensaje reenviado |
    messaggio inoltrato | inizio messaggio inoltrato | inizio del messaggio inoltrato | mensagem encaminhada |
    mensagem reencaminhada | início da mensagem encaminhada | início da mensagem reencaminhada |
    doorgestuurd bericht | begin doorgestuurd bericht | vidarebefordrat meddelande | vidarebefordrat brev |
    påbörjar vidarebefordrat brev | videresendt meddelelse | videresendt besked | start på videresendt besked |
    videresendt melding | videresendt e-post | begynnelsen på videresendt melding | välitetty viesti |
    edelleenlähetetty viesti | välitetty viesti alkaa | wiadomość przekazana dalej | przekazana wiadomość |
    początek przekazywanej wiadomości | přeposlaná zpráva | předaná zpráva | začátek přeposlané zprávy |
    yönlendirilmiş mesaj | iletilen mesaj | iletilmiş ileti | i̇letilmiş ileti | i̇letilen mesaj |
    пересылаемое сообщение | пересланное сообщение | начало переадресованного сообщения | переслане повідомлення |
    переслати повідомлення | προωθημένο μήνυμα | έναρξη προωθημένου μηνύματος | továbbított üzenet |
    továbbított levél | mesaj redirecționat | mesaj transmis mai departe | 転送されたメッセージ | 転送メッセージ |
    転送されたメール | 전달된 메시지 | 전달된 메일 | 전달된 메세지 | 转发的邮件 | 转发邮件 | 已转发邮件 |
    轉寄郵件 | 轉寄的郵件 | 轉寄訊息 | הודעה שהועברה | הודעה מועברת | رسالة معاد توجيهها | رسالة مُعاد توجيهها |
    بداية الرسالة المعاد توجيهها | missatge reenviat | bắt đầu thư được chuyển tiếp | thư được chuyển tiếp |
    thư đã chuyển tiếp | tin nhắn đã chuyển tiếp | ข้อความที่ส่งต่อ | เริ่มต้นข้อความที่ส่งต่อ | เริ่มข้อความที่ส่งต่อ |
    pesan terusan | pesan yang diteruskan | awal pesan terusan | mulai pesan yang diteruskan | mesej dimajukan |
    अग्रेषित संदेश | आगे भेजा गया संदेश | अग्रेषित संदेश आरंभ | پیام هدایت‌شده | پیام فوروارد شده | پیام بازارسالی |
    препратено съобщение | proslijeđena poruka | prosleđena poruka | posredovano sporočilo | preposlaná správa |
    persiųstas laiškas | pārsūtīts ziņojums | edastatud kiri | áframsent
    """
)

FORWARD_PREFIXES = phrases(
    """
    fwd | fw | wg | tr | rv | i | enc | vb | pd | vl | doorst | továbbítás | tovább | πρθ | προωθ | i̇lt | ilt |
    пересл | fs | 转发 | 轉寄 | 轉發 | 転送 | 전달 | הועבר | إعادة توجيه | fyi | chuyển tiếp | ส่งต่อ | trs |
    terusan | अग्रेषित | препр | proslijeđeno | preposlané | rif | redir | redirected
    """
)
"""Subject prefixes of forwarded mail. ``VS`` is left out: a forward in Norwegian, an answer in Finnish."""

REPLY_PREFIXES = phrases(
    """
    re | r | aw | antw | antwort | sv | vs | odp | res | rif | ref | réf | réf. | rép | rép. | resp | rta | ynt |
    yan | yanıt | vá | válasz | atb | ats | vast | blr | hv | svar | od | odpověď | odpoveď | răspuns | rsp | απ |
    απάντηση | σχετ | ответ | отв | отв. | відп | відповідь | отг | отговор | одг | одговор | odg | odgovor |
    回复 | 回覆 | 答复 | 答覆 | 回信 | 返信 | 답장 | 회신 | תשובה | השב | رد | الرد | پاسخ | उत्तर | ตอบ | ตอบกลับ |
    trả lời | balas | bls | tanggapan | doorst | reply | réponse | respuesta | resposta | risposta | antwoord |
    ext | extern | external | externe | externo | esterno | spam | suspekt
    """
)
"""Subject prefixes of answers, and of what border servers say of them."""
